package publish

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestUnreachable: in place of the resolver's and the socket's words, which repeat the URL and name addresses that nobody typed, one reason.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return fmt.Errorf("Get %q: %w", "https://git.example.org/info/refs", &net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "git.example.org", Server: "192.0.2.53:53", IsNotFound: true}), "cannot be reached: no such host"},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "git.example.org", Server: "192.0.2.53:53"}), "cannot be reached: the server's name could not be looked up: server misbehaving"},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "cannot be reached: connection refused"},
		{dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "cannot be reached: no route to host"},
		{dial(os.NewSyscallError("connect", syscall.ETIMEDOUT)), "cannot be reached: the connection timed out"},
	} {
		err := (&remote{target: &Target{}}).explain(row.err)
		if !errors.Is(err, ErrUnreachable) || err.Error() != row.want {
			t.Errorf("found %v, want %s", err, row.want)
		}
	}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	if err := (&remote{target: &Target{}}).explain(reset); errors.Is(err, ErrUnreachable) {
		t.Errorf("a connection that was made and lost: found %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	url := "http://" + address + "/fleet.git"
	_, err = Read(context.Background(), Target{URL: url, Branch: "main"})
	if want := url + " main: cannot be reached: connection refused"; !errors.Is(err, ErrUnreachable) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("found %v, want %s", err, want)
	}
}
