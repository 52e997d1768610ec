package certification

// Platform gives the name that evidence uses for an operating system and an architecture, as Go names
// them.
func Platform(goos, goarch string) string {
	if goos == "windows" {
		goos = "win32"
	}
	if goarch == "amd64" {
		goarch = "x64"
	}
	return goos + "-" + goarch
}
