// Package contact states and solves frictional contact problems: Signorini's
// and Coulomb's laws at N contacts coupled by a Delassus operator. It knows no
// finite elements, no collision detection and no device.
package contact
