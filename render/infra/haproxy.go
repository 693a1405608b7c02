package infra

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Numbers that the configuration and the pod must agree on.
const (
	statusPort = 8404
	// statusConnections are for probes, metrics and statistics, beyond those of the clients.
	statusConnections = 50
	// The API servers' port, and the load balancer's.
	apiPort = 6443
	// graceSeconds is above preStopSeconds + hardStopSeconds: the endpoint is withdrawn first, then
	// HAProxy lets connections end, then it cuts them, and only then comes SIGKILL.
	graceSeconds    = 60
	preStopSeconds  = 5
	hardStopSeconds = 45
)

// haproxyHead returns the part of the configuration that every load balancer has. options may be nil.
func (o *overlay) haproxyHead(name, purpose string, options *v1.HAProxy) (string, error) {
	var h v1.HAProxy
	if options != nil {
		h = *options
	}
	var t v1.HAProxyTimeouts
	if h.Timeouts != nil {
		t = *h.Timeouts
	}
	head, err := fill("haproxy-head.cfg.tmpl", values{
		"name": name, "purpose": purpose,
		"maxConn":  fmt.Sprint(cmp.Or(h.MaxConnections, v1.DefaultMaxConnections) + statusConnections),
		"hardStop": fmt.Sprint(hardStopSeconds), "bind": o.bind(fmt.Sprint(statusPort)),
		"connect": cmp.Or(t.Connect, "5s"), "check": cmp.Or(t.Check, "4s"), "queue": cmp.Or(t.Queue, "30s"),
		"client": cmp.Or(t.Client, "600s"), "server": cmp.Or(t.Server, "600s"), "tunnel": cmp.Or(t.Tunnel, "1h"),
		"globalLines": sectionLines(h.Lines, "global"), "defaultsLines": sectionLines(h.Lines, "defaults"),
	})
	return string(head), err
}

// bind returns where HAProxy listens, at a port or a range of ports: on both families, unless the site has IPv4 only.
// Without IPv6 in the kernel HAProxy ends at an IPv6 socket.
func (o *overlay) bind(ports string) string {
	if o.Site.Spec.Defaults.IPFamily == string(v1.IPv4) {
		return "0.0.0.0:" + ports
	}
	return ":::" + ports + " v4v6"
}

// frontend returns the values of the clients' frontend. options may be nil.
func frontend(options *v1.HAProxy) values {
	var h v1.HAProxy
	if options != nil {
		h = *options
	}
	out := values{
		"maxConn":     fmt.Sprint(cmp.Or(h.MaxConnections, v1.DefaultMaxConnections)),
		"acceptProxy": "", "frontendLines": sectionLines(h.Lines, "frontend"),
	}
	if h.AcceptProxyProtocol {
		out["acceptProxy"] = " accept-proxy"
	}
	return out
}

// backend returns the values of a backend. options may be nil.
func backend(options *v1.HAProxy, balance string) values {
	var h v1.HAProxy
	if options != nil {
		h = *options
	}
	out := values{
		"balance": cmp.Or(h.Balance, balance), "sendProxy": "", "backendLines": sectionLines(h.Lines, "backend"),
	}
	switch h.SendProxyProtocol {
	case "v1":
		out["sendProxy"] = " send-proxy"
	case "v2":
		out["sendProxy"] = " send-proxy-v2"
	}
	return out
}

// merge returns the values of all.
func merge(all ...values) values {
	out := values{}
	for _, some := range all {
		maps.Copy(out, some)
	}
	return out
}

// sectionLines returns the tenant's lines for a section.
func sectionLines(lines *v1.HAProxyLines, section string) string {
	var out strings.Builder
	for _, s := range lines.Sections() {
		if s.Name != section {
			continue
		}
		for _, line := range s.Lines {
			fmt.Fprintf(&out, "    %s\n", strings.TrimSpace(line))
		}
	}
	return out.String()
}

// server is one backend of HAProxy.
type server struct {
	Name string
	// Address is an IPv4 address, or an IPv6 one in brackets.
	Address string
}

// servers returns the hosts of a role at their addresses on a network, active and standby: a standby host is used as
// soon as it answers. A host without an address there is left out; the placement reports it.
func (o *overlay) servers(role, network string, family v1.AddressFamily) ([]server, error) {
	names := map[string]int{}
	for _, h := range o.Hosts {
		if h.Role == role {
			names[h.Host.Name]++
		}
	}
	var out []server
	claimed := addresses{}
	for _, h := range o.Hosts {
		if h.Role != role {
			continue
		}
		address, found, err := claimed.on(h, network, family)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		name := h.Host.Name
		if names[name] > 1 {
			name = h.Host.Namespace + ":" + name
		}
		out = append(out, server{Name: name, Address: bracketed(address)})
	}
	return out, nil
}

// addresses are those taken by hosts seen before.
type addresses map[netip.Addr]Member

// on returns the host's address on the network, of the family asked for if it has both; not found if it has none. Two
// hosts at one address are an error, which the placement does not let come: one of them would be reached under the
// other's name.
func (taken addresses) on(h Member, network string, family v1.AddressFamily) (address netip.Addr, is bool, err error) {
	found := h.Host.On(network)
	if len(found) == 0 {
		return netip.Addr{}, false, nil
	}
	chosen := found[0]
	for _, a := range found {
		if a.Is6() == (family == v1.IPv6) {
			chosen = a
			break
		}
	}
	// A zone is a name of an interface on another machine.
	chosen = chosen.Unmap().WithZone("")
	if first, twice := taken[chosen]; twice {
		return netip.Addr{}, false, fmt.Errorf("hosts %s and %s have the same address %s on network %q", first.Host.Key(),
			h.Host.Key(), chosen, network)
	}
	taken[chosen] = h
	return chosen, true, nil
}

// serverLines returns the servers of a backend, all at one port, or at the port that the client came to with port 0.
func serverLines(servers []server, port int) string {
	var lines strings.Builder
	for _, s := range servers {
		fmt.Fprintf(&lines, "    server %s %s", s.Name, s.Address)
		if port > 0 {
			fmt.Fprintf(&lines, ":%d", port)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}

func bracketed(address netip.Addr) string {
	if address.Is6() {
		return "[" + address.String() + "]"
	}
	return address.String()
}
