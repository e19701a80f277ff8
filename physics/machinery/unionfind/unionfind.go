// Package unionfind joins numbers into disjoint sets.
package unionfind

// Sets are disjoint sets of the numbers from 0, each named by its least member.
type Sets []int32

// New are n sets of one number each.
func New(n int) Sets { return Sets(nil).Reset(n) }

// Reset are n sets of one number each, in the memory of s where that is enough.
func (s Sets) Reset(n int) Sets {
	if cap(s) < n {
		s = make(Sets, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Find is the least number of the set of a.
func (s Sets) Find(a int32) int32 {
	for s[a] != a {
		s[a] = s[s[a]] // half as far the next time
		a = s[a]
	}
	return a
}

// Join makes the sets of a and b one. It is false where they are one already.
func (s Sets) Join(a, b int32) bool {
	a, b = s.Find(a), s.Find(b)
	s[max(a, b)] = min(a, b)
	return a != b
}
