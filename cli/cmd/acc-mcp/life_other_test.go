//go:build !unix

package main

func client() {}
