// Package study asks people what they feel: a protocol says what varies and what is asked, a folder keeps each answer,
// and a report sums them up. It opens no scene: who uses it does.
package study
