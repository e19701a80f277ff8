package spacenav

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Sockets is where spacenavd listens, in the order of trying.
var Sockets = []string{"/run/spnav.sock", "/var/run/spnav.sock"}

// SocketVariable names the environment variable that replaces Sockets.
const SocketVariable = "SPNAV_SOCKET"

// Node is a SpaceMouse as the kernel shows it.
type Node struct {
	Path string // /dev/input/eventN
	Name string
}

// isSpaceMouse knows the makers' numbers: Logitech's era and 3Dconnexion's own.
func isSpaceMouse(vendor, product uint16) bool {
	return vendor == 0x046d && product >= 0xc603 && product <= 0xc640 ||
		vendor == 0x256f && product >= 0xc62e && product <= 0xc6ff
}

// FindNodes looks through the kernel's list below root ("/" but in tests).
func FindNodes(root string) []Node {
	dirs, _ := filepath.Glob(filepath.Join(root, "sys/class/input/event*"))
	sort.Strings(dirs)
	var nodes []Node
	for _, dir := range dirs {
		vendor, err1 := hexFile(filepath.Join(dir, "device/id/vendor"))
		product, err2 := hexFile(filepath.Join(dir, "device/id/product"))
		if err1 != nil || err2 != nil || !isSpaceMouse(vendor, product) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, "device/name"))
		path := filepath.Join(root, "dev/input", filepath.Base(dir))
		nodes = append(nodes, Node{path, strings.TrimSpace(string(name))})
	}
	return nodes
}

func hexFile(path string) (uint16, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(b)), 16, 16)
	return uint16(v), err
}

// UdevRule gives the person at the screen the right to read the device.
const UdevRule = `SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="3Dconnexion*", TAG+="uaccess"`

// openNode opens the first readable one. fs.ErrNotExist: there is none.
func openNode(root string, open func(string) (*os.File, error)) (*os.File, Node, error) {
	if open == nil {
		open = os.Open
	}
	nodes := FindNodes(root)
	if len(nodes) == 0 {
		return nil, Node{}, fmt.Errorf("no SpaceMouse among the kernel's input devices: %w", fs.ErrNotExist)
	}
	var first error
	for _, n := range nodes {
		f, err := open(n.Path)
		if err == nil {
			return f, n, nil
		}
		if first == nil {
			first = err
		}
	}
	if errors.Is(first, fs.ErrPermission) {
		return nil, nodes[0], fmt.Errorf("%s (%s) may not be read: put the rule %s into /etc/udev/rules.d/70-spacemouse.rules and plug it in again, or install spacenavd: %w",
			nodes[0].Path, nodes[0].Name, UdevRule, fs.ErrPermission)
	}
	return nil, nodes[0], first
}
