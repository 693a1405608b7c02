package inventory

import "testing"

// TestCheckPower: what metal3 would take is no problem, in whatever form it takes it; what it would not is the problem that it has.
func TestCheckPower(t *testing.T) {
	for _, row := range []struct {
		address string
		want    PowerProblem
		scheme  string
	}{
		{"", PowerFine, ""},
		{"192.0.2.7", PowerFine, ""},
		{"192.0.2.7:6230", PowerFine, ""},
		{"192.0.2.7/a%zz", PowerUnreadable, ""},
		{"redfish://192.0.2.7/redfish/v1/Systems/1", PowerFine, "redfish"},
		{"redfish://192.0.2/x", PowerFine, "redfish"},
		{"[2001:db8::7]:6230", PowerFine, ""},
		{"bmc.example.org", PowerFine, ""},
		{"ipmi.example.org", PowerFine, ""},
		{"ipmi://192.0.2.7", PowerFine, "ipmi"},
		{"ipmi:192.0.2.7", PowerFine, "ipmi"},
		{"libvirt://bmc-1:6230", PowerFine, "libvirt"},
		{"Redfish+HTTP://192.0.2.7:8000/redfish/v1/Systems/a%20b", PowerFine, "redfish+http"},
		{"redfish-virtualmedia+https://[2001:db8::7]/redfish/v1/Systems/1", PowerFine, "redfish-virtualmedia+https"},
		{"idrac-redfish://bmc.example.org/redfish/v1/Systems/System.Embedded.1", PowerFine, "idrac-redfish"},
		{"ilo4+https://192.0.2.7", PowerFine, "ilo4+https"},
		{"redfsh://192.0.2.7/x", PowerUnknownScheme, "redfsh"},
		{"https://192.0.2.7/x", PowerUnknownScheme, "https"},
		{"ipmi+https://192.0.2.7", PowerUnknownScheme, "ipmi+https"},
		{"ilo4+http://192.0.2.7", PowerUnknownScheme, "ilo4+http"},
		{"redfish+ftp://192.0.2.7", PowerUnknownScheme, "redfish+ftp"},
		{"bmc.example.org:623", PowerUnknownScheme, ""},
		{"redfish:///redfish/v1/Systems/1", PowerNoHost, "redfish"},
		{"redfish://", PowerNoHost, "redfish"},
		{"ipmi://:623", PowerNoHost, "ipmi"},
		{"redfish:/192.0.2.7/redfish/v1", PowerNoHost, "redfish"},
		{"redfish//192.0.2.7/redfish/v1", PowerNoHost, "redfish"},
		{"redfish", PowerNoHost, "redfish"},
		{"redfish://192.0.2.7_/x", PowerBadHost, "redfish"},
		{"redfish://bmc..example.org/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2.7:99999/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:0/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:/x", PowerBadPort, "redfish"},
		{"192.0.2.7:65536", PowerBadPort, ""},
		{"redfish://192.0.2.7:http/x", PowerUnreadable, "redfish"},
		{"redfish://2001:db8::7/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2. 7/x", PowerUnreadable, "redfish"},
		{"2001:db8::7", PowerBadHost, ""},
	} {
		if got, scheme := CheckPower(row.address); got != row.want || scheme != row.scheme {
			t.Errorf("%s: got problem %d of scheme %q, want %d of %q", row.address, got, scheme, row.want, row.scheme)
		}
	}
}

// TestMACProblem: six pairs of hexadecimal digits, as metal3's CustomResourceDefinition wants them, that one network card can have.
func TestMACProblem(t *testing.T) {
	for mac, fine := range map[string]bool{
		"": true, "52:54:00:12:34:56": true, "00:0A:00:00:00:00": true,
		"52-54-00-12-34-56": false, "5254.0012.3456": false, "52:54:00:12:34": false, "52:54:00:12:34:5g": false, "02:00:5e:10:00:00:00:01": false,
		" 52:54:00:12:34:56": false, "ff:ff:ff:ff:ff:ff": false, "01:00:5e:00:00:01": false, "00:00:00:00:00:00": false, "eth0": false,
	} {
		if got := MACProblem(mac); (got == "") != fine {
			t.Errorf("%q: got %q, want fine %t", mac, got, fine)
		}
	}
}
