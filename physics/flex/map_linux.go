package flex

import (
	"os"
	"syscall"
)

// mapFile maps a whole file for reading, every page at once: a step that touches
// a new part of the body must not wait for page faults.
func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headerSize {
		return make([]byte, 0), nil
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
}

func unmapFile(data []byte) {
	if len(data) > 0 {
		_ = syscall.Munmap(data)
	}
}
