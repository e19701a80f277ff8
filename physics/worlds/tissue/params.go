package tissue

import "hapco/physics/files/scene"

// BodyParams are the live parameters of one body.
type BodyParams struct {
	Young   float64 // E, Pa; takes effect on the next step
	Poisson float64 // nu, -; the compliance is recomputed in the background
}

// Params are the parameters that change while the simulation runs. A value is replaced whole and takes effect at the
// next step; see section 4.4.2. What of Contact concerns how contacts are found and not how they are solved keeps the
// scene's value, but for DDCTolerance.
type Params struct {
	Friction      float64 // mu, - (2.16), for pairs without a value of their own
	scene.Contact         // RhoFactor 0 stands for 1
	RhoImposed    bool    // Rho is imposed; false: rho_min from the Delassus operator (3.1)
	Field         int     // that is computed for display: its place among the fields, from 1; 0: none
	Curve         bool    // record the convergence curves for display
	Bodies        []BodyParams
}
