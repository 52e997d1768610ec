package kimi
