// Package finitestrain finds how elastic bodies stand and move at any strain, in equilibrium, in contact and in time.
// The bodies themselves are those of package fem/solid; linear systems are solved by package flex, contact by package
// contact.
//
// The reference cases of the kinds tissue.* are run here (package verify).
//
// Numbers in brackets are the thesis's [Talbi 2008], equations and sections.
package finitestrain
