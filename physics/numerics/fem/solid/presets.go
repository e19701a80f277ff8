package solid

import (
	"fmt"
	"strings"
)

// Preset is a material with the source of its numbers.
type Preset struct {
	Name    string
	Mu      []float64 // Pa, one a term of Ogden's law; a single one with Alpha 2 is neo-Hookean
	Alpha   []float64 // -
	Poisson float64   // at small strains; tissue holds water, and hardly any volume goes
	Density float64   // kg/m^3, usual values
	Prony   Prony     // of the isochoric part; Mu is then the instantaneous modulus
	Source  string
	Remark  string
	Checked string // against what the numbers were compared
}

// presets, softest first. Tissue differs between bodies and tests by a factor of some: these are single published
// values, not truths.
var presets = []Preset{
	{Name: "fat", Mu: []float64{530}, Alpha: []float64{2}, Poisson: 0.49, Density: 920, Prony: Prony{G: []float64{0.39}, Tau: []float64{700}},
		Source: "Sims et al. 2010, Biomech. Model. Mechanobiol. 9:703-711", Remark: "porcine, under the skin, confined indentation in MRI: 0.53 +- 0.31 kPa", Checked: "abstract"},
	{Name: "brain", Mu: []float64{842}, Alpha: []float64{-4.7}, Poisson: 0.49, Density: 1040, Prony: Prony{G: []float64{0.450, 0.365}, Tau: []float64{0.5, 50}},
		Source: "Miller, Chinzei 2002, J. Biomech. 35:483-490", Remark: "swine, tension and compression; softer in tension than pressed", Checked: "mu and exponent against a program that uses them; relaxation from memory, not compared"},
	{Name: "liver", Mu: []float64{2000}, Alpha: []float64{2}, Poisson: 0.49, Density: 1060,
		Source: "Rouviere et al. 2006, Radiology 240:440-448", Remark: "healthy volunteers, MR elastography: 2.0 +- 0.3 kPa", Checked: "abstract"},
	{Name: "kidney", Mu: []float64{4900}, Alpha: []float64{2}, Poisson: 0.49, Density: 1050,
		Source: "Rouviere et al. 2011, J. Magn. Reson. Imaging 34:880-886", Remark: "healthy volunteers, MR elastography at 45 Hz: 4.9 +- 0.5 kPa", Checked: "abstract"},
	{Name: "muscle", Mu: []float64{20e3}, Alpha: []float64{30}, Poisson: 0.49, Density: 1060, Prony: Prony{G: []float64{0.20, 0.19}, Tau: []float64{18, 395}},
		Source: "Gras et al. 2012 and 2013, J. Mech. Behav. Biomed. Mater. 15:131-140, 27:77-83", Remark: "human sternocleidomastoid, passive, along the fibres; the middle (by ratio) of 4 to 98 kPa and of exponents 17 to 52", Checked: "abstracts of both"},
	{Name: "skin", Mu: []float64{23e3}, Alpha: []float64{2}, Poisson: 0.49, Density: 1100,
		Source: "Hendriks et al. 2003, Skin Res. Technol. 9:274-283", Remark: "human forearm, suction: initial E of about 69 kPa; stiffens under stretch, which is left out", Checked: "from memory, not compared"},
	{Name: "silicone", Mu: []float64{39e3}, Alpha: []float64{2}, Poisson: 0.49, Density: 1070,
		Source: "Smooth-On, data sheet of Ecoflex 00-30", Remark: "69 kPa (10 psi) at a stretch of 2: mu (2 - 1/4); pressed by 25 % it is softer: 22 kPa (Sparks et al. 2015, Adv. Skin Wound Care 28:59-68)", Checked: "a copy of the sheet's table: 10 psi, 1.07 g/cm^3"},
	{Name: "rubber", Mu: []float64{409.5e3, 3e3, 10e3}, Alpha: []float64{1.3, 5, -2}, Poisson: 0.4995, Density: 930,
		Source: "Ogden 1972, Proc. R. Soc. Lond. A 326:565-584", Remark: "Treloar's data of natural rubber; Ogden's mu_p a_p/2", Checked: "G+Smo and OpenSees, which use them: mu_p 630, 1.2 and -10 kPa"},
	{Name: "aluminium", Mu: []float64{69e9 / 2.66}, Alpha: []float64{2}, Poisson: 0.33, Density: 2700,
		Source: "Talbi 2008, section 3.1: E = 69 GPa", Remark: "for comparison: it yields long before strains are large", Checked: "the thesis"},
}

// Presets lists the materials known by name, softest first.
func Presets() []Preset { return append([]Preset(nil), presets...) }

// FindPreset finds a material by its name.
func FindPreset(name string) (Preset, error) {
	names := make([]string, 0, len(presets))
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("solid: material %q is unknown (use %s)", name, strings.Join(names, ", "))
}

// Shear is the shear modulus at small strains, Pa.
func (p Preset) Shear() float64 {
	mu := 0.0
	for _, m := range p.Mu {
		mu += m
	}
	return mu
}

// Young is Young's modulus at small strains, Pa.
func (p Preset) Young() float64 { return 2 * p.Shear() * (1 + p.Poisson) }
