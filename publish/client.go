package publish

import "net/http"

// HTTPClient gives a client for other services of the same server, a forge's API: with the certificates, the proxy
// and the client certificate that a has, and without any credentials. No proxy is taken from the environment where a
// names one.
func (a Auth) HTTPClient() (*http.Client, error) { return a.httpClient() }
