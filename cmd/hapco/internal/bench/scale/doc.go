// Package scale measures a step of linear tissue over nodes and contacts.
package scale
