// What only tests ask.

package bench

// Top is the elastic displacement, m, of node i + (nx+1) k of the obstacle's top face.
func (r *Run) Top(s int) [3]float64 { return r.obstacle.u[s] }
