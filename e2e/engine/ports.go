package engine

import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
)

// The ports that programs under test listen on. They lie below those that the system gives to connections that go out
// (32768 on Linux): of these any connection may take one before the program does that was told to listen on it. Test
// binaries run side by side, so that each has a part of its own.
const (
	firstPort  = 10000
	portsOfOne = 550
	binaries   = 41
)

var ports struct {
	sync.Mutex
	// next is the place of the next one in this process' part.
	next int
}

// FreePort returns a port of the loopback interface on which nobody listens, and that no test of this process was
// given lately.
func FreePort(t testing.TB) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for range portsOfOne {
		port := firstPort + os.Getpid()%binaries*portsOfOne + ports.next
		ports.next = (ports.next + 1) % portsOfOne
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			listener.Close()
			return port
		}
	}
	t.Fatalf("no free port among %d of the loopback interface", portsOfOne)
	return 0
}

// freePorts returns several, all different.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	several := make([]int, n)
	for i := range several {
		several[i] = FreePort(t)
	}
	return several
}
