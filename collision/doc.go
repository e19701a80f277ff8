// Package collision answers proximity questions about deforming triangle surfaces: a hierarchy of axis-aligned boxes,
// built once and refitted as the nodes move, and the closest point of a surface to a point; and about pairs of rigid
// convex bodies: how far apart they are, also in each other, and where they touch (Separate, Meet). Whether surfaces go
// through each other it tells exactly (Orient, Surface.Cuts), and how far they may go before they do (Advance). It works
// on plain arrays and knows no physics.
//
// Lengths are in whatever unit the caller uses, metres in this project.
//
// References: C. Ericson, Real-Time Collision Detection, 2005, chapters 5 and 6; thesis, section 1.5.
package collision
