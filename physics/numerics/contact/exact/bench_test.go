package exact

import (
	"testing"

	"hapco/physics/numerics/contact/internal/contacttest"
)

// BenchmarkSweep is one Gauss-Seidel sweep with exact local solves, on every
// contact: its time, and the rate at which it reads W.
func BenchmarkSweep(b *testing.B) {
	problems := contacttest.Thesis(b)
	if contacttest.HavePublic() {
		problems = append(problems, contacttest.Public(b)...)
	}
	for _, np := range problems {
		if np.P.N < 16 {
			continue
		}
		b.Run(np.Name, func(b *testing.B) {
			var e engine
			e.bind(np.P)
			r := make([]float64, 3*np.P.N)
			for range 5 {
				e.sweep(r, 1)
			}
			for b.Loop() {
				e.age = 0 // nobody sleeps
				e.sweep(r, 1)
			}
			bytes := 72 * np.P.N * np.P.N
			if np.P.Blocks != nil {
				bytes = 96 * len(np.P.Blocks.Col)
			}
			b.SetBytes(int64(bytes))
		})
	}
}
