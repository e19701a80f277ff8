package mesh

import "slices"

// entities reads which physical groups the geometric entities of 4.1 belong to.
func (r *gmshReader) entities() error { return r.entityList(false) }

func (r *gmshReader) entityList(partitioned bool) error {
	var counts [4]int
	for d := range counts {
		n, err := r.sizeOf(dimensionNames[d]+" entities", 6)
		if err != nil {
			return err
		}
		counts[d] = n
	}
	for d, n := range counts {
		for range n {
			if err := r.entity(d, partitioned); err != nil {
				return err
			}
		}
	}
	return nil
}

// partitionedEntities reads the entities of a mesh that was partitioned, which elements then belong to: the number of
// partitions, ghost entities, and each entity with its parent and partitions.
func (r *gmshReader) partitionedEntities() error {
	if _, err := r.size("the number of partitions"); err != nil {
		return err
	}
	n, err := r.sizeOf("ghost entities", 3)
	if err != nil {
		return err
	}
	for range 2 * n {
		if _, err := r.int("a ghost entity"); err != nil {
			return err
		}
	}
	return r.entityList(true)
}

// entity reads: tag, of a part its parent and partitions, bounds, physical tags, and bounding entities for d > 0. A
// part without physical tags has its parent's.
func (r *gmshReader) entity(d int, partitioned bool) error {
	tag, err := r.int("an entity tag")
	if err != nil {
		return err
	}
	key := [2]int64{int64(d), tag}
	if partitioned {
		dim, err := r.int("the dimension of a parent")
		if err != nil {
			return err
		}
		parent, err := r.int("a parent's tag")
		if err != nil {
			return err
		}
		n, err := r.sizeOf("partitions", 2)
		if err != nil {
			return err
		}
		for range n {
			if _, err := r.int("a partition"); err != nil {
				return err
			}
		}
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
		if _, err := r.real("an entity's bound"); err != nil {
			return err
		}
	}
	n, err := r.sizeOf("physical tags", 2)
	if err != nil {
		return err
	}
	for range n {
		p, err := r.int("a physical tag")
		if err != nil {
			return err
		}
		if !slices.Contains(r.groups[key], p) {
			r.groups[key] = append(r.groups[key], p)
		}
	}
	if d == 0 {
		return nil
	}
	if n, err = r.sizeOf("bounding entities", 2); err != nil {
		return err
	}
	for range n {
		if _, err := r.int("a bounding entity"); err != nil {
			return err
		}
	}
	return nil
}

// blockHeader reads the first line of the node and element sections of 4.1.
func (r *gmshReader) blockHeader(what string, minBytes int) (blocks, total int, err error) {
	if blocks, err = r.sizeOf("blocks", 8); err != nil {
		return 0, 0, err
	}
	if total, err = r.sizeOf(what, minBytes); err != nil {
		return 0, 0, err
	}
	for range 2 {
		if _, err = r.size("a smallest or largest tag"); err != nil {
			return 0, 0, err
		}
	}
	return blocks, total, nil
}

// nodes4 reads blocks: dimension entity parametric count, tags, coordinates.
func (r *gmshReader) nodes4() error {
	blocks, total, err := r.blockHeader("nodes", 8)
	if err != nil {
		return err
	}
	var tags []int64
	for range blocks {
		dim, _, parametric, err := r.three("the dimension of a block", "an entity tag", "the parametric flag")
		if err != nil {
			return err
		}
		n, err := r.sizeOf("nodes", 8)
		if err != nil {
			return err
		}
		tags = tags[:0]
		for range n {
			t, err := r.size("a node tag")
			if err != nil {
				return err
			}
			tags = append(tags, t)
		}
		for _, t := range tags {
			if err := r.node(t); err != nil {
				return err
			}
			if parametric == 0 {
				continue
			}
			for range max(0, min(dim, 3)) {
				if _, err := r.real("a parametric coordinate"); err != nil {
					return err
				}
			}
		}
	}
	if len(r.b.nodes) != total {
		return r.fail(cureSyntax, "%d nodes are announced but the blocks hold %d", total, len(r.b.nodes))
	}
	return nil
}

// elements4 reads blocks: dimension entity type count, then tag and nodes.
func (r *gmshReader) elements4() error {
	blocks, total, err := r.blockHeader("elements", 4)
	if err != nil {
		return err
	}
	read := 0
	for range blocks {
		dim, err := r.int("the dimension of a block")
		if err != nil {
			return err
		}
		entity, err := r.int("an entity tag")
		if err != nil {
			return err
		}
		t, err := r.elementType()
		if err != nil {
			return err
		}
		e := gmshElements[t]
		if dim != int64(e.dimension) {
			return r.fail(cureSyntax, "element type %d stands in a block of dimension %d", t, dim)
		}
		n, err := r.sizeOf("elements", 2+2*e.nodes)
		if err != nil {
			return err
		}
		physical := r.groups[[2]int64{dim, entity}]
		if parent, ok := r.parents[[2]int64{dim, entity}]; ok {
			entity = parent
		}
		for range n {
			number, err := r.size("an element tag")
			if err != nil {
				return err
			}
			id, err := r.element(e, number, r.line, r.size)
			if err != nil {
				return err
			}
			for _, p := range physical {
				if err := r.put(r.sets, e, p, id); err != nil {
					return err
				}
			}
			if err := r.put(r.parts, e, entity, id); err != nil {
				return err
			}
			read++
		}
	}
	if read != total {
		return r.fail(cureSyntax, "%d elements are announced but the blocks hold %d", total, read)
	}
	return nil
}

func (r *gmshReader) three(a, b, c string) (x, y, z int64, err error) {
	if x, err = r.int(a); err != nil {
		return
	}
	if y, err = r.int(b); err != nil {
		return
	}
	z, err = r.int(c)
	return
}
