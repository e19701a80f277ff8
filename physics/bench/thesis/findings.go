package thesis

// Verdict says whether a finding of the thesis holds for our measurements.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	InPart  Verdict = "holds in part"
	Fails   Verdict = "does not hold"
	Unknown Verdict = "not measured"
)

// Finding is a statement of the thesis and what became of it.
type Finding struct {
	ID       string             `json:"id"`
	Where    string             `json:"section"`
	Claim    string             `json:"claim"`
	Verdict  Verdict            `json:"verdict"`
	Measured string             `json:"measured"`
	Numbers  map[string]float64 `json:"numbers"` // what the verdict rests on
}

func Findings(r *Results) []Finding { return nil }
