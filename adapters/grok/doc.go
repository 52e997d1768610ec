package grok
