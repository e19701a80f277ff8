package mesh

import "slices"

// entities reads which physical groups the geometric entities of 4.1 belong to.
func (r *gmshReader) entities(partitioned bool) {
	var counts [4]int
	for d := range counts {
		counts[d] = r.sizeOf(dimensionNames[d]+" entities", 6)
	}
	for d, n := range counts {
		for range n {
			r.entity(d, partitioned)
		}
	}
}

// partitionedEntities reads the entities of a mesh that was partitioned, which elements then belong to: the number of
// partitions, ghost entities, and each entity with its parent and partitions.
func (r *gmshReader) partitionedEntities() {
	r.size("the number of partitions")
	r.pass(2, "ghost entities", "a ghost entity", 3)
	r.entities(true)
}

// entity reads: tag, of a part its parent and partitions, bounds, physical tags, and bounding entities for d > 0. A
// part without physical tags has its parent's.
func (r *gmshReader) entity(d int, partitioned bool) {
	tag := r.int("an entity tag")
	key := [2]int64{int64(d), tag}
	if partitioned {
		dim, parent := r.int("the dimension of a parent"), r.int("a parent's tag")
		r.pass(1, "partitions", "a partition", 2)
		if dim == int64(d) {
			r.parents[key] = parent
			defer func() {
				if len(r.groups[key]) == 0 {
					r.groups[key] = r.groups[[2]int64{dim, parent}]
				}
			}()
		}
	}
	reals := 6
	if d == 0 {
		reals = 3
	}
	for range reals {
		r.real("an entity's bound")
	}
	for range r.sizeOf("physical tags", 2) {
		p := r.int("a physical tag")
		if !slices.Contains(r.groups[key], p) {
			r.groups[key] = append(r.groups[key], p)
		}
	}
	if d > 0 {
		r.pass(1, "bounding entities", "a bounding entity", 2)
	}
}

// pass passes over a list that nothing is kept of: its length, and so many numbers for each.
func (r *gmshReader) pass(each int, what, one string, minBytes int) {
	for range each * r.sizeOf(what, minBytes) {
		r.int(one)
	}
}

// blockHeader reads the first line of the node and element sections of 4.1.
func (r *gmshReader) blockHeader(what string, minBytes int) (blocks, total int) {
	blocks, total = r.sizeOf("blocks", 8), r.sizeOf(what, minBytes)
	for range 2 {
		r.size("a smallest or largest tag")
	}
	return blocks, total
}

// nodes4 reads blocks: dimension entity parametric count, tags, coordinates.
func (r *gmshReader) nodes4() {
	blocks, total := r.blockHeader("nodes", 8)
	var tags []int64
	for range blocks {
		dim, _, parametric := r.int("the dimension of a block"), r.int("an entity tag"), r.int("the parametric flag")
		n := r.sizeOf("nodes", 8)
		tags = tags[:0]
		for range n {
			tags = append(tags, r.size("a node tag"))
		}
		for _, t := range tags {
			r.node(t)
			if parametric == 0 {
				continue
			}
			for range max(0, min(dim, 3)) {
				r.real("a parametric coordinate")
			}
		}
	}
	if len(r.b.nodes) != total {
		panic(r.fail(cureSyntax, "%d nodes are announced but the blocks hold %d", total, len(r.b.nodes)))
	}
}

// elements4 reads blocks: dimension entity type count, then tag and nodes.
func (r *gmshReader) elements4() {
	blocks, total := r.blockHeader("elements", 4)
	read := 0
	for range blocks {
		dim, entity := r.int("the dimension of a block"), r.int("an entity tag")
		t, e := r.elementType()
		if dim != int64(e.dimension) {
			panic(r.fail(cureSyntax, "element type %d stands in a block of dimension %d", t, dim))
		}
		n := r.sizeOf("elements", 2+2*e.nodes)
		physical := r.groups[[2]int64{dim, entity}]
		if parent, ok := r.parents[[2]int64{dim, entity}]; ok {
			entity = parent
		}
		for range n {
			number := r.size("an element tag")
			id := r.element(e, number, r.line, r.size)
			for _, p := range physical {
				r.put(r.sets, e, p, id)
			}
			r.put(r.parts, e, entity, id)
			read++
		}
	}
	if read != total {
		panic(r.fail(cureSyntax, "%d elements are announced but the blocks hold %d", total, read))
	}
}
