package contact

// Route names a method among those that `auto` chooses from.
type Route uint8

// The routes, in the order in which auto tries them.
const (
	RouteNone     Route = iota // nothing was needed, or the solver is not auto
	RouteSweeps                // Gauss-Seidel
	RouteNewton                // semismooth Newton on the active contacts
	RouteAnderson              // accelerated Gauss-Seidel
	RouteInterior              // interior points, Newton at their end
	RouteProximal              // proximal outer loop
)

// String is the word that tables show.
func (r Route) String() string {
	switch r {
	case RouteNone:
		return "none"
	case RouteSweeps:
		return "sweeps"
	case RouteNewton:
		return "newton"
	case RouteAnderson:
		return "anderson"
	case RouteInterior:
		return "interior"
	case RouteProximal:
		return "proximal"
	}
	return "unknown"
}
