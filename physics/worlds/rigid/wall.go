package rigid

import "fmt"

// Wall is a wall of bricks in running bond on a floor: 0.2 m x 0.1 m x 0.1 m, 2000 kg/m^3.
func Wall(columns, rows int, mu float64) (*World, error) {
	w, err := NewWorld(DefaultConfig())
	if err != nil {
		return nil, err
	}
	if err := w.Add(&Body{Name: "floor", Form: Plane(vec3{0, 1, 0}), Fixed: true, Friction: mu}); err != nil {
		return nil, err
	}
	brick := Box(0.2, 0.1, 0.1)
	mass, inertia := brick.Solid(2000)
	count := 0
	for r := range rows {
		n := columns + 1 - r%2
		for c := range n {
			if count == columns*rows {
				break // the last row is short
			}
			count++
			b := &Body{Name: fmt.Sprintf("brick %d", count), Form: brick, Mass: mass, Inertia: inertia, Friction: mu,
				X: vec3{0.2 * (float64(c) - float64(n-1)/2), 0.05 + 0.1*float64(r), 0}}
			if err := w.Add(b); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}
