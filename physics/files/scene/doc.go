// Package scene reads the scene files of the simulator. A file is TOML with its own units; a [Scene] is a plain struct
// in SI units. The format is described in docs/scene-format.md; [Keys] lists its words.
package scene
