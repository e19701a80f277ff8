package flex

// source is where a flexibility comes from that is not stored as one matrix: a coarse one spread over the nodes, or one
// on the way to another. Any goroutine may use one; none allocates but to make its workspace grow.
type source interface {
	gather(compact []float64, active []int32) // (3 active)^2, row-major: the part between those nodes
	displace(dst []float64, nodes []int32, forces []float64)
	displaceAt(dst []float64, wanted, nodes []int32, forces []float64)
	block(a, b int32) [9]float64
	bytes() int64
	inSingle() bool
}

// Bytes is the memory that the compliance takes.
func (c *Compliance) Bytes() int64 {
	if c.other != nil {
		return c.other.bytes()
	}
	return 8*int64(len(c.C)) + 4*int64(len(c.Single))
}

// InSingle tells whether entries are rounded to single precision.
func (c *Compliance) InSingle() bool {
	if c.other != nil {
		return c.other.inSingle()
	}
	return c.Single != nil
}
