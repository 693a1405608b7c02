package bmh

import "testing"

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"boot failed":                       "boot failed",
		"two\nlines\r\n\tand a tab":         "two lines and a tab",
		"red \x1b[31malert\x1b[0m":          "red [31malert[0m",
		"a trailer\nSigned-off-by: mallory": "a trailer Signed-off-by: mallory",
		"turned \u202eround":                "turned round",
		"":                                  "",
	} {
		if found := clean(text); found != want {
			t.Errorf("%q: found %q, want %q", text, found, want)
		}
	}
	if n := len([]rune(clean(string(make([]byte, 10)) + string([]rune("ü")[0]) + longText()))); n != maxText {
		t.Errorf("found %d characters, want %d", n, maxText)
	}
}

func longText() string {
	text := make([]rune, 5000)
	for i := range text {
		text[i] = 'ü'
	}
	return string(text)
}
