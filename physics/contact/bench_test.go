package contact

import "testing"

// BenchmarkSweep is one Gauss-Seidel sweep with exact local solves, on every
// contact: its time, and the rate at which it reads W.
func BenchmarkSweep(b *testing.B) {
	problems := thesisProblems(b)
	if haveProblems() {
		problems = append(problems, publicProblems(b)...)
	}
	for _, np := range problems {
		if np.p.N < 16 {
			continue
		}
		b.Run(np.name, func(b *testing.B) {
			var e engine
			e.bind(np.p)
			r := make([]float64, 3*np.p.N)
			for range 5 {
				e.sweep(r, 1)
			}
			for b.Loop() {
				e.age = 0 // nobody sleeps
				e.sweep(r, 1)
			}
			bytes := 72 * np.p.N * np.p.N
			if np.p.Blocks != nil {
				bytes = 96 * len(np.p.Blocks.Col)
			}
			b.SetBytes(int64(bytes))
		})
	}
}
