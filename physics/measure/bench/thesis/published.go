package thesis

import "hapco/physics/measure/bench"

// This file holds the numbers that the thesis prints, and nothing else.

// printed is a mean CPU time, ms, and whether the thesis marks it "diverges".
type printed struct {
	ms       float64
	diverges bool
}

func t(ms float64) printed { return printed{ms: ms} }
func d(ms float64) printed { return printed{ms: ms, diverges: true} }

// timeTable is a table of mean times of the six Uzawa solvers along one path.
type timeTable struct {
	id, pair, path  string
	mu              []float64
	rows            []timeRow // in the thesis's order: fastest at mu = 0.3 first
	deviation, norm string    // figures of the same runs; "": none
}

type timeRow struct {
	solver string
	cells  []printed // one per mu
}

// Machines of the tables, as the thesis names them.
const (
	xeon  = "Intel Xeon 5110, 1.60 GHz"       // 3.6 to 3.8
	core2 = "Intel Core 2 6600, 2.4 GHz"      // 3.4, 3.5
	mobil = "Intel Core 2 Duo T7100, 1.8 GHz" // 3.9, 4.2.2
)

// timeTables are 3.20, 3.22, 3.24, 3.27, 3.30, 3.33 (mu = 0.3) and 3.36 to 3.41.
var timeTables = []timeTable{
	atUsual("3.20", "3.21", "", "alu-tissue", "pen", t(7.74), t(9.41), t(13.29), t(14.22), t(22.41), t(24.48)),
	atUsual("3.22", "3.23", "", "alu-tissue", "slide", t(18.02), t(19.57), t(19.85), t(26.77), t(29.1), t(20.32)),
	atUsual("3.24", "3.25", "3.26", "alu-rubber", "pen", t(22.35), t(24.90), t(19.64), t(25.25), t(23), t(36.45)),
	atUsual("3.27", "3.28", "3.29", "alu-rubber", "slide", t(23.27), t(26.02), t(23.22), t(25.72), t(25.57), t(25.67)),
	atUsual("3.30", "3.31", "3.32", "tissue-tissue", "pen", d(503.25), d(815.54), t(52.77), t(60), t(50.13), d(672.96)),
	atUsual("3.33", "3.34", "3.35", "tissue-tissue", "slide", d(104.1), d(109.45), t(72.02), t(77.75), t(75.35), d(105.55)),
	{id: "3.36", pair: "alu-tissue", path: "pen", mu: frictions, rows: []timeRow{
		{"uzawa-star", []printed{t(10), t(7.74), t(11.25), t(11.80)}},
		{"uzawa-local-star", []printed{t(11.22), t(9.41), t(9.71), t(11.54)}},
		{"uzawa", []printed{t(15.87), t(13.29), t(17.35), t(20.5)}},
		{"uzawa-local", []printed{t(17.38), t(14.22), t(14.19), t(17.16)}},
		{"uzawa-local-signorini-star", []printed{t(24), t(24.48), t(16.09), t(14.13)}},
		{"uzawa-local-signorini", []printed{t(21.16), t(22.41), t(23.8), t(19)}},
	}},
	{id: "3.37", pair: "alu-tissue", path: "slide", mu: frictions, rows: []timeRow{
		{"uzawa-star", []printed{t(13.05), t(18.02), t(25.82), t(32.77)}},
		{"uzawa", []printed{t(18.17), t(19.85), t(28.27), t(29.12)}},
		{"uzawa-local-star", []printed{t(14.3), t(19.57), t(31.1), t(41.52)}},
		{"uzawa-local-signorini-star", []printed{t(13.92), t(20.32), t(31.7), t(42.82)}},
		{"uzawa-local", []printed{t(22.2), t(26.77), t(36.57), t(43.55)}},
		{"uzawa-local-signorini", []printed{t(26.75), t(29.1), t(41), t(48.7)}},
	}},
	{id: "3.38", pair: "alu-rubber", path: "pen", mu: frictions, rows: []timeRow{
		{"uzawa", []printed{t(15.8), t(19.64), t(25.43), t(28.36)}},
		{"uzawa-star", []printed{t(9.53), t(22.35), t(26.3), t(30.96)}},
		{"uzawa-local-signorini", []printed{t(19.4), t(23), t(27.7), t(35.36)}},
		{"uzawa-local", []printed{t(14.03), t(25.25), t(29.7), t(35.9)}},
		{"uzawa-local-star", []printed{t(10.86), t(24.90), d(690), d(722)}},
		{"uzawa-local-signorini-star", []printed{t(27.03), t(36.45), d(571), d(644)}},
	}},
	{id: "3.39", pair: "alu-rubber", path: "slide", mu: frictions, rows: []timeRow{
		{"uzawa", []printed{t(18.45), t(23.22), t(27.22), t(30.82)}},
		{"uzawa-star", []printed{t(13.82), t(23.27), t(27.15), d(55.2)}},
		{"uzawa-local", []printed{t(16.82), t(25.72), t(30.37), t(33.65)}},
		{"uzawa-local-signorini", []printed{t(20.85), t(25.57), t(29.15), t(33.1)}},
		{"uzawa-local-signorini-star", []printed{t(16.27), t(25.67), d(216.9), d(545.9)}},
		{"uzawa-local-star", []printed{t(14.8), t(26.02), d(427.7), d(656)}},
	}},
	{id: "3.40", pair: "tissue-tissue", path: "pen", mu: frictions, rows: []timeRow{
		{"uzawa", []printed{t(25.38), t(52.77), t(81.16), t(120)}},
		{"uzawa-local-signorini", []printed{t(30.22), t(50.13), t(85), t(134.25)}},
		{"uzawa-local", []printed{t(29.03), t(60), t(126.06), t(139.31)}},
		{"uzawa-star", []printed{t(29.25), d(503.25), d(492), d(246.5)}},
		{"uzawa-local-signorini-star", []printed{t(51.42), d(672.9), d(702), d(446.82)}},
		{"uzawa-local-star", []printed{t(28.71), d(815), d(994), d(835)}},
	}},
	{id: "3.41", pair: "tissue-tissue", path: "slide", mu: frictions, rows: []timeRow{
		{"uzawa", []printed{t(45.7), t(72.02), t(96.75), t(88.6)}},
		{"uzawa-local-signorini", []printed{t(50.67), t(75.35), t(98.42), t(90.03)}},
		{"uzawa-local", []printed{t(54.52), t(77.75), t(103.87), t(99.66)}},
		{"uzawa-star", []printed{t(55.55), d(104.1), d(140.92), d(341.3)}},
		{"uzawa-local-signorini-star", []printed{t(58.6), d(105.55), d(241.67), d(593.17)}},
		{"uzawa-local-star", []printed{t(58.6), d(109.45), d(554.52), d(643.7)}},
	}},
}

// table319 is the thesis's table of factors on rho, mean ms.
var table319 = []struct {
	solver     string
	factor     float64
	slide, pen float64
}{
	{"uzawa", 1, 106.8, 55.29},
	{"uzawa", 2, 37.15, 23.96},
	{"uzawa", 2.2, 33.07, 20.54},
	{"uzawa-star", 1, 77.9, 27.06},
	{"uzawa-star", 1.5, 41.8, 13.54},
}

// couplingTable is 4.13 or 4.14: mean ms with and without the Delassus operator.
type couplingTable struct {
	id, bench     string
	contacts      int
	with, without map[string][3]float64 // by pair: R, U, both
}

var couplingTables = []couplingTable{
	{"4.13", "C36", 36,
		map[string][3]float64{"alu-tissue": {28.8, 2.92, 31.8}, "alu-rubber": {9.28, 2.88, 12.16}, "tissue-tissue": {9.04, 2.88, 11.92}},
		map[string][3]float64{"alu-tissue": {95.28, 2.52, 97.8}, "alu-rubber": {28.88, 2.76, 31.64}, "tissue-tissue": {27.56, 2.68, 30.24}}},
	{"4.14", "C16", 16,
		map[string][3]float64{"alu-tissue": {3.16, 2.04, 5.2}, "alu-rubber": {2.16, 2.12, 4.24}, "tissue-tissue": {1.84, 2.12, 3.96}},
		map[string][3]float64{"alu-tissue": {9.88, 2, 11.88}, "alu-rubber": {6.4, 2.08, 8.48}, "tissue-tissue": {5.72, 2.08, 7.8}}},
}

// Means that the prose of section 3.4 gives: ms and sweeps at 1e-8.
var prose34 = map[string]map[string][2]float64{
	"pen":   {"uzawa": {5.5, 350}, "uzawa-star": {2, 125}, "pseudo-printed": {133, 10000}},
	"slide": {"uzawa": {63.65, 1325}, "uzawa-star": {46.35, 969}, "pseudo-printed": {332, 7264}},
}

// lastSweeps are those of the last increment of the penetration (3.4).
var lastSweeps = map[string]float64{"uzawa": 1239, "uzawa-star": 233}

// deviations, percent, from Uzawa global* at 1e-8, mean along the path (3.7): of the methods with (rho_n, rho_t) and of
// those with rho_min.
var deviations = map[string]map[string][2]float64{
	"alu-tissue": {"pen": {0.27, 5.36}, "slide": {0.71, 2.16}},
	"alu-rubber": {"pen": {0.24, 0.8}, "slide": {0.33, 2.06}},
}

// deviationsSoft are those between two soft tissues, all methods.
var deviationsSoft = map[string]float64{"pen": 2.28, "slide": 1.7}

// rhoMins are mean values of rho_min, N/m (the thesis writes N/cm, but means MN/m: its moduli are in MPa and its
// lengths in m), at the start and the end of the path, or twice the mean where the prose gives no more.
var rhoMins = []struct {
	c           bench.Case
	first, last float64
	mean        bool
}{
	{bench16, 19, 19, true},
	{bench36("alu-tissue", "pen", usual), 26, 26, true},
	{bench36("alu-tissue", "slide", usual), 25, 11, false},
	{bench36("alu-rubber", "pen", usual), 2.17e6, 2.17e6, true},
	{bench36("alu-rubber", "slide", usual), 2.16e6, 2.06e6, false},
	{bench36("tissue-tissue", "pen", usual), 0.69, 0.69, true},
	{bench36("tissue-tissue", "slide", usual), 0.693, 0.675, false},
}

// orders are the exponents of time over contacts (3.9), by bench.
var orders = map[string]map[string]float64{
	"A": {"uzawa-star": 2.07, "uzawa": 2.05},
	"B": {"uzawa-star": 2.83, "uzawa": 2.46},
}
