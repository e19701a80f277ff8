// What only tests ask.

package tissue

// Solved lists the contacts of the last step's problem, by their places in
// Snapshot.Contacts; the others are open. It belongs to the world.
func (w *World) Solved() []int32 { return w.set.kept }
