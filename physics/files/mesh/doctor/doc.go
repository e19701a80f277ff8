// Package doctor examines meshes and surfaces: what is wrong, where, how bad it is, and what cures it.
//
// A volume mesh must come from mesh.Read or mesh.Parse, which leave bad elements as they are. Findings name nodes and
// elements by the file's numbers; a Picture shows where they are.
package doctor
