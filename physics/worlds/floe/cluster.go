package floe

import (
	"cmp"
	"slices"

	"hapco/physics/machinery/unionfind"
	"hapco/physics/numerics/num"
)

// clusters are the groups of floes that touch each other. Obstacles join nothing: no shock goes through them.
type clusters struct {
	joined unionfind.Sets
	first  []int32 // by cluster: where its contacts begin in sorted
	sorted []int32 // contacts by cluster
	root   []int32 // by contact
}

// group sorts the contacts by cluster. Clusters come in the order of their first floe, so that nothing depends on the
// order of contacts.
func (w *World) group() {
	c := &w.groups
	c.joined = c.joined.Reset(len(w.bodies))
	for k := range w.contacts {
		a, b := int32(w.contacts[k].A), int32(w.contacts[k].B)
		if w.bodies[a].fixed || w.bodies[b].fixed {
			continue
		}
		c.joined.Join(a, b)
	}
	c.root, c.sorted, c.first = c.root[:0], c.sorted[:0], c.first[:0]
	for k := range w.contacts {
		a := w.contacts[k].A
		if w.bodies[a].fixed {
			a = w.contacts[k].B
		}
		c.root = append(c.root, c.joined.Find(int32(a)))
		c.sorted = append(c.sorted, int32(k))
	}
	slices.SortFunc(c.sorted, func(i, j int32) int { return cmp.Or(cmp.Compare(c.root[i], c.root[j]), cmp.Compare(i, j)) })
	for k, i := range c.sorted {
		if k == 0 || c.root[i] != c.root[c.sorted[k-1]] {
			c.first = append(c.first, int32(k))
		}
	}
	c.first = append(c.first, int32(len(c.sorted)))
}

// touch finds the contacts of now and lets the clusters that approach collide.
func (w *World) touch() {
	chunks := (len(w.near.pairs) + pairChunk - 1) / pairChunk
	j := &w.jobs
	for len(j.found) < chunks {
		j.found = append(j.found, nil)
	}
	j.team.Spread(chunks, &j.find)
	w.contacts = w.contacts[:0]
	for _, f := range j.found[:chunks] {
		w.contacts = append(w.contacts, f...)
	}
	if w.config.Window > 0 {
		w.recall()
	}
	w.group()
	clusters := len(w.groups.first) - 1
	w.report.Contacts, w.report.Clusters = len(w.contacts), clusters
	j.outcomes = num.Grow(j.outcomes, clusters)
	j.team.Run(clusters, &j.collide)
	for i := range j.outcomes {
		o := &j.outcomes[i]
		w.energy.Impact += o.impact
		w.energy.Friction += o.friction
		w.report.add(&o.Report)
		if o.err != nil && w.err == nil {
			w.err = o.err
		}
	}
}

// recalled is what a contact had in the last window.
type recalled struct {
	key      uint64
	impulses [2]float64 // N s
}

// recall gives contacts the impulses that they had in the last window: where ice is jammed, these are nearly right, and
// sweeps go on from them.
func (w *World) recall() {
	for i := range w.contacts {
		c := &w.contacts[i]
		at := func(r recalled, key uint64) int { return cmp.Compare(r.key, key) }
		if k, ok := slices.BinarySearchFunc(w.memory, c.key, at); ok {
			c.warm = w.memory[k].impulses
		}
	}
}

// remember keeps the impulses for the next window.
func (w *World) remember() {
	w.memory = w.memory[:0]
	for i := range w.contacts {
		if c := &w.contacts[i]; c.Impulse > 0 {
			w.memory = append(w.memory, recalled{c.key, [2]float64{c.Impulse, c.Friction}})
		}
	}
	slices.SortFunc(w.memory, func(a, b recalled) int { return cmp.Compare(a.key, b.key) })
}

// find is the job of finding the contacts of some pairs.
func (w *World) find(chunk int) {
	xi := w.config.Collision
	found := w.jobs.found[chunk][:0]
	for _, p := range w.near.pairs[chunk*pairChunk : min((chunk+1)*pairChunk, len(w.near.pairs))] {
		a, b := &w.bodies[p.a], &w.bodies[p.b]
		reach := xi
		if w.config.Window > 0 { // what may touch within the step
			reach += w.dt * closing(a, b)
		}
		if !boxesNear(a, b, reach) {
			continue
		}
		first := len(found)
		found = contacts(found, &a.placed, &b.placed, reach, xi)
		for k := first; k < len(found); k++ {
			found[k].A, found[k].B = int(p.a), int(p.b)
			found[k].key |= uint64(p.a)<<44 | uint64(p.b)<<24
		}
	}
	w.jobs.found[chunk] = found
}

// outcome is what the collision of one cluster adds to the account.
type outcome struct {
	Report
	impact, friction float64
	err              error
}

// cluster is the job of one cluster: no other one has a floe of it.
func (w *World) cluster(k int) {
	list := w.groups.sorted[w.groups.first[k]:w.groups.first[k+1]]
	j := &w.jobs
	free := <-j.free
	c := &j.solvers[free]
	if j.inspect != nil {
		j.inspect(list)
	}
	c.outcome = outcome{}
	c.err = c.collide(w, list)
	c.spread(w, list)
	j.outcomes[k] = c.outcome
	j.free <- free
}
