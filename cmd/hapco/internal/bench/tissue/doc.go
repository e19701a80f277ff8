// Package tissue measures a step of a body at large strains.
package tissue
