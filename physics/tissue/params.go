package tissue

import "hapco/physics/contact"

// BodyParams are the live parameters of one body.
type BodyParams struct {
	Young   float64 // E, Pa; takes effect on the next step
	Poisson float64 // nu, -; the compliance is recomputed in the background
}

// Params are the parameters that change while the simulation runs. A value is
// replaced whole and takes effect at the next step; see section 4.4.2.
type Params struct {
	Friction      float64           // mu, - (2.16), for pairs without a value of their own
	Solver        string            // a name that contact.New knows
	Criterion     contact.Criterion // Gauss-Seidel stop: relative (2.72) or physical (4.4.2), ...
	Tolerance     float64           // eps_Gauss-Seidel, - or m, by Criterion
	MaxIterations int               //
	RhoImposed    bool              // false: rho_min from the Delassus operator (3.1)
	Rho           float64           // imposed rho_min, N/m
	RhoFactor     float64           // multiplies the calculated rho, -; 0 stands for 1
	UzawaError    float64           // eps_Uzawa, - (3.6, 3.7); times the scene's length
	DDCTolerance  float64           // largest distance of a contact, m
	Reduction     float64           // how deep contacts that are left out may stay inside, where there are many, m; 0: none is left out
	Paused        bool              //
	Stress        bool              // compute von Mises stresses for display
	Shadow        string            // a second solver for the same problems, beside the steps; "": none
	Curve         bool              // record the convergence curves for display
	Bodies        []BodyParams      // by body index
	// On the way to the hand (section 4.4.2); the haptic loop applies them.
	MaxForce float64 // largest force sent to the device, N
	Reducer  float64 // factor on the force sent to the device, 0..1
}
