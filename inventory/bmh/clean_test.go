package bmh

import (
	"strings"
	"testing"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/airshipit/sipgen/hack/need"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"boot failed":                       "boot failed",
		"two\nlines\r\n\tand a tab":         "two lines and a tab",
		"red \x1b[31malert\x1b[0m":          "red [31malert[0m",
		"a trailer\nSigned-off-by: mallory": "a trailer Signed-off-by: mallory",
		"turned \u202eround":                "turned round",
		"":                                  "",
	} {
		need.Equal(t, text, clean(text), want)
	}
	need.Equal(t, "", len([]rune(clean(string(make([]byte, 10))+string([]rune("ü")[0])+longText()))), maxText)
}

func longText() string {
	text := make([]rune, 5000)
	for i := range text {
		text[i] = 'ü'
	}
	return string(text)
}

// TestWhatOthersWroteIsCleaned: a driver repeats the login that a BMC refused, on as many lines as it likes.
func TestWhatOthersWroteIsCleaned(t *testing.T) {
	var object metal3.BareMetalHost
	object.Status.ErrorMessage = "Failed to get power state:\nhttps://root:calvin-and-hobbes@198.51.100.1/redfish: 401"
	host := FromObject(&object)
	if found := host.State.ErrorMessage; strings.Contains(found, "calvin") || strings.Contains(found, "\n") || !strings.Contains(found, "Failed to get power state") {
		t.Errorf("found %q, want it on one line, without the password", found)
	}
}
