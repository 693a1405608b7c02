package inventory

// Finalized is a live object with a finalizer that no controller removes.
type Finalized struct {
	Namespace, Name string
	// Index of the finalizer, for a JSON patch.
	Index int
	// Deleting: the object was deleted, and the API server waits for the finalizer.
	Deleting bool
}

// SecretSeen is whether a Secret exists. Its contents were not read.
type SecretSeen struct {
	Namespace, Name string
	// Missing: no Secret has the name. Unread is why that is unknown; Missing is false then.
	Missing bool
	Unread  string
}
