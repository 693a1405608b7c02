package wire

import (
	"net/url"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

func TestSameServer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		from, to string
		want     bool
	}{
		{"https://git.example.org/a", "https://git.example.org/b", true},
		{"https://git.example.org/a", "https://git.example.org:443/a", true},
		{"https://git.example.org/a", "https://GIT.example.org/a", true},
		{"http://git.example.org/a", "https://git.example.org/a", true},
		{"http://git.example.org:80/a", "https://git.example.org:443/a", true},
		{"https://git.example.org:8443/a", "https://git.example.org:8443/b", true},
		{"https://git.example.org/a", "http://git.example.org/a", false},
		{"https://git.example.org/a", "https://git.example.org:8443/a", false},
		{"http://git.example.org/a", "https://git.example.org:8443/a", false},
		{"http://git.example.org:8080/a", "https://git.example.org/a", false},
		{"https://git.example.org/a", "https://www.git.example.org/a", false},
		{"http://[::1]:8080/a", "http://[::1]:8080/b", true},
	} {
		from := need.Value(url.Parse(row.from))(t)
		to := need.Value(url.Parse(row.to))(t)
		assert.Equal(t, row.want, sameServer(from, to), row.from+" to "+row.to)
	}
}
