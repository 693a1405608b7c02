// Command dex serves OIDC from a configuration file, by Dex's own packages: its cmd/dex does not build as a
// dependency. Fields that Dex does not know are errors.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/server/tokens"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/kubernetes"
	"github.com/dexidp/dex/storage/memory"
	"github.com/ghodss/yaml"
)

// config is the file, as far as the tests use it. TestDexKnowsTheFields holds it to cmd/dex.
type config struct {
	Issuer  string `json:"issuer"`
	Storage struct {
		Type   string          `json:"type"`
		Config json.RawMessage `json:"config"`
	} `json:"storage"`
	Web struct {
		HTTPS         string `json:"https"`
		TLSCert       string `json:"tlsCert"`
		TLSKey        string `json:"tlsKey"`
		TLSMinVersion string `json:"tlsMinVersion"`
	} `json:"web"`
	Telemetry struct {
		HTTP string `json:"http"`
	} `json:"telemetry"`
	Expiry struct {
		AuthRequests   string `json:"authRequests"`
		DeviceRequests string `json:"deviceRequests"`
		IDTokens       string `json:"idTokens"`
	} `json:"expiry"`
	OAuth2 struct {
		SkipApprovalScreen bool `json:"skipApprovalScreen"`
	} `json:"oauth2"`
	StaticClients []storage.Client `json:"staticClients"`
	Connectors    []struct {
		Type   string         `json:"type"`
		ID     string         `json:"id"`
		Name   string         `json:"name"`
		Config map[string]any `json:"config"`
	} `json:"connectors"`
}

// The places that differ between a pod and a test.
var (
	file       = flag.String("config", "", "configuration file")
	listen     = flag.String("listen", "", "address to listen on, in place of web.https")
	cert       = flag.String("tls-cert", "", "certificate, in place of web.tlsCert")
	key        = flag.String("tls-key", "", "private key, in place of web.tlsKey")
	kubeconfig = flag.String("kubeconfig", "", "of the storage, in place of inCluster")
	fields     = flag.Bool("fields", false, "print the fields of the connectors that sipgen renders, and end")
	opened     = flag.Bool("open", false, "open each connector of the configuration, print why one is refused, and end")
)

func main() {
	flag.Parse()
	do := run
	if *fields {
		do = printFields
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "dex:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var c config
	if text, err = yaml.YAMLToJSON(text); err != nil {
		return err
	}
	if err := strict(text, &c); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if *opened {
		return json.NewEncoder(os.Stdout).Encode(refusals(&c, logger))
	}
	store, err := open(&c, logger)
	if err != nil {
		return err
	}
	lifetime, err := duration(c.Expiry.IDTokens)
	if err != nil {
		return err
	}
	requests, err := duration(c.Expiry.AuthRequests)
	if err != nil {
		return err
	}
	devices, err := duration(c.Expiry.DeviceRequests)
	if err != nil {
		return err
	}
	keys := signer.LocalConfig{KeysRotationPeriod: "6h"}
	sign, err := keys.Open(context.Background(), store, lifetime, time.Now, logger)
	if err != nil {
		return err
	}
	refresh, err := tokens.NewRefreshTokenPolicy(logger, false, "", "", "")
	if err != nil {
		return err
	}
	handler, err := server.NewServer(context.Background(), server.Config{
		Issuer: c.Issuer, Storage: store, SkipApprovalScreen: c.OAuth2.SkipApprovalScreen, IDTokensValidFor: lifetime,
		AuthRequestsValidFor: requests, DeviceRequestsValidFor: devices,
		Signer: sign, RefreshTokenPolicy: refresh, Logger: logger,
	})
	if err != nil {
		return err
	}
	https := &http.Server{Addr: *listen, Handler: handler, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	return https.ListenAndServeTLS(*cert, *key)
}

// duration is a lifetime; without one, Dex's own.
func duration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	return time.ParseDuration(text)
}

// strict decodes JSON, and refuses fields that the type does not have.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// open opens the storage and puts the file's clients and connectors over it.
func open(c *config, logger *slog.Logger) (storage.Storage, error) {
	var (
		store storage.Storage
		err   error
	)
	switch c.Storage.Type {
	case "kubernetes":
		var k kubernetes.Config
		if err := strict(c.Storage.Config, &k); err != nil {
			return nil, fmt.Errorf("storage: %w", err)
		}
		if !k.InCluster {
			return nil, errors.New("storage: want inCluster")
		}
		k.InCluster, k.KubeConfigFile, k.CRDHandling = false, *kubeconfig, "check"
		store, err = k.Open(logger)
	case "memory":
		store = memory.New(logger)
	default:
		err = fmt.Errorf("storage: unknown type %q", c.Storage.Type)
	}
	if err != nil {
		return nil, err
	}
	for i, client := range c.StaticClients {
		if client.Name == "" {
			return nil, fmt.Errorf("client %s has no name", client.ID)
		}
		if client.SecretEnv != "" {
			c.StaticClients[i].Secret = os.Getenv(client.SecretEnv)
		}
	}
	var connectors []storage.Connector
	for _, connector := range c.Connectors {
		kind, known := server.ConnectorsConfig[connector.Type]
		if !known {
			return nil, fmt.Errorf("unknown connector type %q", connector.Type)
		}
		expand(connector.Config)
		text, err := json.Marshal(connector.Config)
		if err != nil {
			return nil, err
		}
		if err := strict(text, kind()); err != nil {
			return nil, fmt.Errorf("connector %s: %w", connector.ID, err)
		}
		connectors = append(connectors, storage.Connector{ID: connector.ID, Type: connector.Type, Name: connector.Name,
			Config: text})
	}
	return storage.WithStaticConnectors(storage.WithStaticClients(store, c.StaticClients), connectors), nil
}

// refusals are why Dex does not open each of the connectors; "" for one that it opens.
func refusals(c *config, logger *slog.Logger) []string {
	why := make([]string, len(c.Connectors))
	for i, connector := range c.Connectors {
		expand(connector.Config)
		text, err := json.Marshal(connector.Config)
		if err != nil {
			why[i] = err.Error()
			continue
		}
		into := server.ConnectorsConfig[connector.Type]()
		if err = strict(text, into); err == nil {
			_, err = into.Open(connector.ID, logger)
		}
		if err != nil {
			why[i] = err.Error()
		}
	}
	return why
}

// printFields writes the fields of connectors: a mapping's by their names, a list of mappings in a list, and text,
// bool, list and bytes, which is base64.
func printFields() error {
	all := map[string]any{}
	for _, kind := range []string{"github", "ldap", "oidc", "saml"} {
		all[kind] = fieldsOf(reflect.TypeOf(server.ConnectorsConfig[kind]()).Elem())
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}

func fieldsOf(t reflect.Type) any {
	switch t.Kind() {
	case reflect.Pointer:
		return fieldsOf(t.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			out[name] = fieldsOf(t.Field(i).Type)
		}
		return out
	case reflect.Slice:
		switch {
		case t.Elem().Kind() == reflect.Struct:
			return []any{fieldsOf(t.Elem())}
		case t.Elem().Kind() == reflect.Uint8:
			return "bytes"
		case t.Name() == "UsernameAttributes":
			return "text" // or a list, which the image that is rendered does not read
		}
		return "list"
	case reflect.String:
		return "text"
	}
	return t.Kind().String()
}

// expand replaces variables in all strings, as Dex does.
func expand(value map[string]any) {
	for key, field := range value {
		switch field := field.(type) {
		case string:
			value[key] = os.ExpandEnv(field)
		case map[string]any:
			expand(field)
		case []any:
			for i, item := range field {
				switch item := item.(type) {
				case string:
					field[i] = os.ExpandEnv(item)
				case map[string]any:
					expand(item)
				}
			}
		}
	}
}
