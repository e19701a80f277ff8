// Package tissue holds the reference cases of deformable bodies: the thesis's benches step by step, and bodies at
// finite strain against closed forms, published numbers and an independent program.
package tissue
