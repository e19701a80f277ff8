//go:build !amd64

package collision

import "github.com/go-gl/mathgl/mgl64"

var fast = false

func (t *Tree) refit(positions []mgl64.Vec3, margin float64) { t.refitGo(positions, margin) }
