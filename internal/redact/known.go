package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// fragment is how many consecutive characters of a secret count as a part of it.
const fragment = 8

// Known removes known secrets from a text in every spelling: plain, escaped for URLs, JSON and HTML, in hex, in
// base64 of both alphabets, also inside of something longer ("user:password"). Parts of a long secret are removed as
// well, because servers and truncated messages repeat only a part. Secrets of one or two characters are ignored:
// masking them would destroy the message.
func Known(text string, secrets ...string) string {
	var whole []string
	parts := map[string]bool{}
	for _, secret := range secrets {
		for _, spelled := range spellings(secret) {
			whole = append(whole, spelled)
			// Of a short secret a part is little more than a word.
			for i := 0; len(spelled) >= 2*fragment && i+fragment <= len(spelled); i++ {
				parts[spelled[i:i+fragment]] = true
			}
		}
	}
	slices.SortFunc(whole, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	for _, spelled := range slices.Compact(whole) {
		text = strings.ReplaceAll(text, spelled, mask)
	}
	return withoutParts(text, parts)
}

// withoutParts takes out every stretch that consists of parts, each of fragment bytes.
func withoutParts(text string, parts map[string]bool) string {
	var out strings.Builder
	until := 0 // the end of the stretch under way
	for i := range len(text) {
		if i+fragment <= len(text) && parts[text[i:i+fragment]] {
			if i >= until {
				out.WriteString(mask)
			}
			until = i + fragment
		}
		if i >= until {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// spellings returns the forms in which a secret may occur in a text.
func spellings(secret string) []string {
	if len(secret) < 3 {
		return nil
	}
	plains := []string{secret}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if plain, err := unescape(secret); err == nil && plain != secret {
			plains = append(plains, plain)
		}
	}
	var all []string
	for _, plain := range plains {
		all = append(all, plain, url.QueryEscape(plain), url.PathEscape(plain), everyByte(plain),
			strings.TrimPrefix(url.UserPassword("", plain).String(), ":"), html.EscapeString(plain),
			hex.EncodeToString([]byte(plain)), strings.ToUpper(hex.EncodeToString([]byte(plain))), inJSON(plain))
		for before := range 3 {
			all = append(all, insideBase64(plain, before)...)
		}
	}
	return slices.DeleteFunc(all, func(spelled string) bool { return len(spelled) < 3 })
}

// everyByte escapes each byte as URLs do, letters too.
func everyByte(plain string) string {
	var out strings.Builder
	for i := range len(plain) {
		out.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{plain[i]})))
	}
	return out.String()
}

func inJSON(plain string) string {
	var text bytes.Buffer
	if json.NewEncoder(&text).Encode(plain) != nil {
		return plain
	}
	return strings.Trim(text.String(), "\"\n")
}

// insideBase64 returns the base64 of the secret inside of a longer text, without the characters that depend on the
// surrounding bytes. before is the number of bytes before it, modulo 3. It returns nothing if the rest is too short
// to be certain.
func insideBase64(plain string, before int) []string {
	raw := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), plain...))
	from := []int{0, 2, 3}[before] // characters with bits of the preceding bytes
	until := (before + len(plain)) * 8 / 6
	if until-from < 6 {
		return nil
	}
	inside := raw[from:until]
	return []string{inside, strings.NewReplacer("+", "-", "/", "_").Replace(inside), url.QueryEscape(inside)}
}
