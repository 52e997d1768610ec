package codex
