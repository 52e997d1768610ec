package geminicli
