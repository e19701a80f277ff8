// Package floe measures fields of ice floes, beside Box2D where it is installed.
package floe
