package assets

// Version of the release, of program and library.
const Version = "v1.0.0"
