// Package mesh holds volume meshes, their boundary surfaces and the file formats they come in.
package mesh
