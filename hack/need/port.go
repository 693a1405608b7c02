package need

import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
)

// Unheard is an address on loopback where nobody listens: the system gives its port to nobody, as it may one that was
// free a moment ago.
const Unheard = "127.0.0.1:1"

// The ports that programs under test listen on. They lie below those that the system gives to connections that go out
// (32768 on Linux): of these any connection may take one before the program does that was told to listen on it. Test
// binaries run side by side, so that each has a part of its own, and holds it by listening on its first port.
const (
	firstPort  = 10000
	portsOfOne = 500
	parts      = 42
)

var ports struct {
	sync.Mutex
	held net.Listener // on the first port of this process' part, until it ends
	part int
	next int // the place of the next port in the part
}

// Port returns a port of the loopback interface on which nobody listens, and that no test of this process was given
// lately.
func Port(t testing.TB) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for i := 0; ports.held == nil && i < parts; i++ {
		ports.part = firstPort + (os.Getpid()+i)%parts*portsOfOne
		ports.held, _ = listen(ports.part)
	}
	if ports.held == nil {
		t.Fatalf("want a free part of the ports from %d on, found %d that are others'", firstPort, parts)
	}
	for range portsOfOne {
		ports.next = ports.next%(portsOfOne-1) + 1
		if listener, err := listen(ports.part + ports.next); err == nil {
			listener.Close()
			return ports.part + ports.next
		}
	}
	t.Fatalf("no free port among %d of the loopback interface", portsOfOne)
	return 0
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// Ports returns several, all different.
func Ports(t testing.TB, n int) []int {
	t.Helper()
	several := make([]int, n)
	for i := range several {
		several[i] = Port(t)
	}
	return several
}

// Range returns the first of n such ports in a row.
func Range(t testing.TB, n int) int {
	t.Helper()
	for {
		if row := Ports(t, n); row[n-1] == row[0]+n-1 {
			return row[0]
		}
	}
}

// Loopback returns an IPv4 address of loopback that ends in two numbers, such as 127.1.11.3 for "11.3", for programs
// whose port is given. No other process of tests has it. Linux has all these addresses.
func Loopback(t testing.TB, end string) string {
	t.Helper()
	Port(t) // the part is held
	return fmt.Sprintf("127.%d.%s", 1+(ports.part-firstPort)/portsOfOne, end)
}

// Address returns an address on loopback with such a port.
func Address(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Port(t))
}
