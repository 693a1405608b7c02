package objdiff

// Effect is what becomes of one object of a cluster's services, for a reviewer.
type Effect struct {
	// Object is "Deployment jumphost-a"; a generated ConfigMap is without the hash of its name.
	Object string `json:"object"`
	Added  bool   `json:"added,omitempty"`
	Gone   bool   `json:"gone,omitempty"`
	// Fields that differ, as paths; with the values where they are numbers of pods or images, and with the keys of a configuration.
	Fields []string `json:"fields,omitempty"`
	// Rolls: its pods are replaced.
	Rolls bool `json:"rolls,omitempty"`
	// Immutable are those of the fields that nobody can change: the object has to be deleted, and is made anew.
	Immutable []string `json:"immutable,omitempty"`
	// Reached says where a Service is reached, and WasReached where it was, if that changes. Of one that is gone it is not said.
	Reached    string `json:"reached,omitempty"`
	WasReached string `json:"wasReached,omitempty"`
	// Logins are who may log in from now on, and NoLogins who no longer may: SSH keys by type and fingerprint, a Dex's issuer and the servers that it asks.
	Logins   []string `json:"logins,omitempty"`
	NoLogins []string `json:"noLogins,omitempty"`
}
