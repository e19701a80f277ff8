// Package mesh holds volume meshes, their boundary surfaces and the file formats they come in.
//
// A Mesh is nodes, blocks of elements of one type, and named sets. Readers find the format by looking at the content,
// never at the file's name. What they return is ready for the finite elements: every node belongs to an element, every
// element has positive volume, every index is in range. What they cannot make so they refuse with one line that names
// file, line, reason and cure.
package mesh
