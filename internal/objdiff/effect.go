package objdiff

// Effect is the change of one object of a cluster's services, for a reviewer.
type Effect struct {
	// Object is "Deployment jumphost-a"; a generated ConfigMap is without the hash of its name.
	Object string `json:"object"`
	Added  bool   `json:"added,omitempty"`
	Gone   bool   `json:"gone,omitempty"`
	// Fields that differ, as paths; with the values where they are numbers of pods or images, and with the keys of a
	// configuration.
	Fields []string `json:"fields,omitempty"`
	// Rolls: its pods are replaced.
	Rolls bool `json:"rolls,omitempty"`
	// Immutable are those of the fields that cannot change in a live object: the object has to be deleted, and is
	// recreated.
	Immutable []string `json:"immutable,omitempty"`
	// Reached is where a Service is reached, and WasReached where it was, if that changes. A deleted Service has
	// neither.
	Reached    string `json:"reached,omitempty"`
	WasReached string `json:"wasReached,omitempty"`
	// Logins are those who may log in from now on, and NoLogins those who no longer may: SSH keys by type and
	// fingerprint, a Dex's issuer and its servers.
	Logins   []string `json:"logins,omitempty"`
	NoLogins []string `json:"noLogins,omitempty"`
}
