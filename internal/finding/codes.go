package finding

import "slices"

// The codes. One that is retired is not used again.
const (
	NodePort      = "SIP001"
	NodePortRange = "SIP002"
	Address       = "SIP003"
	NoHost        = "SIP005"
	BMC           = "SIP006"
	MAC           = "SIP007"
	HostAddress   = "SIP008"
	IssuerShared  = "SIP010"
	IssuerPlace   = "SIP011"
	DexNamespace  = "SIP012"
	NoDomain      = "SIP013"
	Secret        = "SIP014"
	Deprecated    = "SIP015"
	Useless       = "SIP016"
	Ignore        = "SIP017"
	NoNetwork     = "SIP018"
	UnknownKey    = "SIP019"
	NoAddress     = "SIP020"
	Apart         = "SIP022"
	NoMeeting     = "SIP023"
	NoSurge       = "SIP024"
	Even          = "SIP025"
	Object        = "SIP026"
	UID           = "SIP027"
	Network       = "SIP028"
	Grant         = "SIP029"
	Mutable       = "SIP030"
	Powerless     = "SIP031"
	Credentials   = "SIP032"
	Backendless   = "SIP033"
	Empty         = "SIP034"
	Unmanageable  = "SIP035"
	Unread        = "SIP036"
	Emptied       = "SIP037"
	Nameless      = "SIP038"
	Ownerless     = "SIP039"
	Alike         = "SIP040"
	Reserved      = "SIP042"
	Invalid       = "SIP043"
	Absent        = "SIP044"
	Strange       = "SIP045"
	Loss          = "SIP046"
	Build         = "SIP047"
	Unpatchable   = "SIP048"
	Crossing      = "SIP049"
	Moves         = "SIP050"
	Guards        = "SIP051"
	Leftover      = "SIP052"
	Blind         = "SIP053"
)

// Code is what a code means.
type Code struct {
	Code, Title string
	// Meaning is what is the matter and what sipgen does about it, and Remedy what to do, in markdown. Severities are those that it may have, in words.
	Meaning, Remedy, Severities string
	// Freezes: the cluster that it is about is frozen.
	Freezes bool
}

// Find is the row of a code, nil for none.
func Find(code string) *Code {
	codes := Codes()
	if i := slices.IndexFunc(codes, func(c Code) bool { return c.Code == code }); i >= 0 {
		return &codes[i]
	}
	return nil
}

// Codes are all codes, in their order.
func Codes() []Code {
	return []Code{
		{
			NodePort, "A node port is claimed twice",
			"Node ports belong to the whole management cluster: the API server gives one to the Service that " +
				"comes first, and refuses the other with everything in the same apply. A cluster that has the " +
				"port in the tree keeps it, and the finding names the other one.",
			"Give one of the two another port.",
			"error", true,
		},
		{
			NodePortRange, "A node port lies outside the site's range",
			"`spec.nodePorts` of the Site is the API server's `--service-node-port-range`.",
			"Choose a port of the range, or correct the Site.",
			"error", true,
		},
		{
			Address, "An address is claimed twice",
			"It is a cluster IP, a load balancer's address, or the fixed address of a pod on another network. " +
				"Load balancers may share an address if they have the same `sharingKey` and listen on different " +
				"ports.",
			"Give one of the two another address.",
			"error", true,
		},
		{
			NoHost, "A selector matches no host",
			"The role wants hosts, and its `labelSelector` matches none of the inventory, whatever their " +
				"state. The labels of hosts that cannot be read are not known: if there are such hosts, it is " +
				"only a warning.",
			"Correct the selector, or label the hosts.",
			"error, or warning", false,
		},
		{
			BMC, "Two hosts have the same BMC",
			"The addresses in `spec.bmc` are the same controller and system, however they are written: " +
				"deprovisioning one host would switch off or wipe the other. Neither host is handed out; a " +
				"cluster that has one keeps it.",
			"Correct the address of one of the two.",
			"error", false,
		},
		{
			MAC, "Two hosts have the same boot MAC address",
			"Network boot cannot tell them apart. Neither host is handed out; a cluster that has one keeps " +
				"it.",
			"Correct `spec.bootMACAddress` of one of the two.",
			"error", false,
		},
		{
			HostAddress, "Two hosts have the same address",
			"They have it on the same network. A load balancer would have one backend twice, and one host " +
				"would get no traffic.",
			"Correct the network data of one of the two.",
			"error; a warning where one address is from inspection, and may be an old lease", false,
		},
		{
			IssuerShared, "Two clusters have one token issuer",
			"Issuers are compared by host, port and path. Each API server would get its keys from whichever " +
				"Dex answers, and refuse the tokens of the other or, worse, accept them.",
			"Give each cluster an issuer of its own.",
			"error", false,
		},
		{
			IssuerPlace, "The issuer is not where Dex is exposed",
			"The issuer's port is not the node port, or not 443 with a Service of type LoadBalancer, or its " +
				"address differs. The API server gets its keys from the issuer, and would not find Dex there. " +
				"Services of type ClusterIP are not looked at.",
			"Correct the issuer or the port. If a proxy in between makes it work, suppress the finding and " +
				"name the proxy.",
			"warning", false,
		},
		{
			DexNamespace, "Two Dexes share a namespace",
			"Dex keeps its signing keys in objects of its namespace.",
			"Move one of the two clusters to a namespace of its own.",
			"error", true,
		},
		{
			NoDomain, "Hosts without the topology key",
			"The role spreads its hosts over the values of `topologyKey`, and some hosts that it selects have " +
				"no such label: they get no slot. With `unlabelled: allow` they do, and may all be in one rack.",
			"Label the hosts, or suppress the finding for single hosts.",
			"warning", false,
		},
		{
			Secret, "A referenced Secret is missing",
			"A host names network data that is not in the inventory, so it gets no address from it; or a host " +
				"or a cluster names a Secret that is not among the manifests. Secrets are looked up by name, and " +
				"only where another one of the same kind is in the same namespace.",
			"Add the Secret, or correct its name.",
			"warning", false,
		},
		{
			Deprecated, "A deprecated field",
			"Specs that were written for the SIP operator may have it. It is accepted and has no effect.",
			"Remove the field; a provider in `auth` is described in `dex`.",
			"warning", false,
		},
		{
			Useless, "A field that has no useful effect",
			"Such as a jump host that nobody can log in to, a role whose name is nearly one that load " +
				"balancers serve, a role without `count`, standby hosts without an active one, or a field of " +
				"`spec.argocd` on a site with Flux.",
			"Set what is missing, or remove the field.",
			"warning", false,
		},
		{
			Ignore, "A lint-ignore annotation that suppresses nothing",
			"Its code does not exist, or it gives no reason. This finding cannot be suppressed.",
			"Write a code that `sipgen lint` prints, a colon and a reason; or remove the annotation.",
			"error", false,
		},
		{
			NoNetwork, "A network that no host has an address on",
			"The network in a service's `nodeInterfaceId` is misspelt, or its network data is missing from " +
				"the inventory.",
			"Correct the network's id, or add the hosts' network data to the inventory.",
			"error; a warning while there are hosts that cannot be read", true,
		},
		{
			UnknownKey, "A topology key that no host carries",
			"Hosts match the role's `labelSelector`, and none has the label that `topologyKey`, " +
				"`topologyKeys` or `spread` names. It would keep no hosts apart.",
			"Correct the key, or label the hosts.",
			"error", true,
		},
		{
			NoAddress, "A host's address cannot be read",
			"A role selects or holds the host, a service reaches the role on a network, and a source of the " +
				"host's address cannot be used: network data that is not OpenStack's, DHCP, an annotation that is " +
				"no address, an address outside [the networks of the hosts](addresses.md#allowed-addresses). A " +
				"free host is not handed out to the role; a held one keeps its address.",
			"Correct the source, or set the address with the host's annotation " +
				"`sip.airshipit.org/address.NETWORK`.",
			"warning", false,
		},
		{
			Apart, "A cluster's hosts are in several namespaces",
			"Cluster API's provider for metal3 looks for hosts in one namespace, and would use only some of " +
				"them.",
			"Name that namespace in `hostNamespaces` of each role, or suppress the finding where Cluster API " +
				"does not use the hosts. See [cluster-api.md](cluster-api.md).",
			"warning", false,
		},
		{
			NoMeeting, "No host is in the namespaces that a role names",
			"Hosts match its `labelSelector`, and none of them is in one of its `hostNamespaces`.",
			"Correct one of the two.",
			"error", false,
		},
		{
			NoSurge, "A standby host that no rollout can use",
			"With one or two control planes Cluster API adds a machine before it removes one, and needs one " +
				"more active host for that: a standby host does not serve.",
			"Ask for three, or suppress the finding if the standby host is there for failures.",
			"warning", false,
		},
		{
			Even, "An even number of control planes",
			"Cluster API refuses an even number while etcd runs on them.",
			"Ask for one more or less, or suppress the finding if etcd is elsewhere.",
			"warning", false,
		},
		{
			Object, "A host's object is wrong",
			"A field has a value of the wrong type, a label that no API server accepts, or the host is " +
				"defined more than once: nobody knows what is true of it. It is not handed out, and a cluster " +
				"that has it keeps it. An object whose name no host can have is left out.",
			"Correct the object, or keep one of its definitions.",
			"error", false,
		},
		{
			UID, "Two hosts have the same uid",
			"A manifest was copied with all that the API server had added. Patches name a host by its uid, " +
				"and would not apply. Neither host is handed out; a cluster that has one keeps it.",
			"Take each object of the cluster into the inventory once.",
			"error", false,
		},
		{
			Network, "An address that the site's services have",
			"An address or a MAC address overlaps what Ironic, ViNO, MetalLB or a NetworkAttachmentDefinition " +
				"of the Site hands out or listens on: sooner or later two machines would answer for it. Such a " +
				"host is not handed out, and such a cluster is frozen. `sipgen plan -o network` shows all " +
				"addresses together.",
			"Give one of the two another address. [site-services.md](site-services.md#the-network-plan) says " +
				"what may overlap.",
			"error", false,
		},
		{
			Grant, "More than the tenant is granted",
			"A spec asks for something that `spec.tenants` of the Site, or its defaults, does not grant: a " +
				"priority, an address, a node port, an image, more hosts or clusters, or hosts outside the " +
				"tenant's selector or namespaces.",
			"Ask for less, or change the grant; `sipgen tenants --suggest` prints what the specs need.",
			"error", true,
		},
		{
			Mutable, "An image whose contents change",
			"It has no digest, and its tag is missing or one that is moved, such as `latest` or `main`. A pod " +
				"that starts on another node may run something else, and no commit shows the change.",
			"Name a version, or a digest.",
			"warning", false,
		},
		{
			Powerless, "A host that cannot be powered on",
			"A cluster has a host without `spec.bmc` and without status. metal3 provisions nothing on it. " +
				"There is no finding where no host of the inventory has a `spec.bmc`.",
			"Give the host a BMC, or plan from an inventory with status.",
			"warning", false,
		},
		{
			Credentials, "Flux cannot read the repository",
			"`spec.repository.url` of the Site is an ssh address, and `spec.flux.secretName` names no Secret: " +
				"Flux has no key to log in with.",
			"Name the Secret ([gitops.md](gitops.md#flux) says how to make it), or suppress the finding if " +
				"something else sets it.",
			"warning", false,
		},
		{
			Backendless, "A load balancer without a backend",
			"The spec has no role that the load balancer serves (`ControlPlane` or `Worker`), or the role " +
				"asks for no host. If the cluster has hosts of the role, it is frozen.",
			"Ask for a host, or remove the load balancer together with the role.",
			"error; a warning where the role asks for no host, and where the tree has had the load balancer like this before", false,
		},
		{
			Empty, "A file of specs with nothing in it",
			"It is empty, or all of it is a comment: most likely it was cut off. A cluster that has no spec " +
				"any more is frozen.",
			"Put the spec back. To let a cluster go, [name it](tenants.md#remove-a-cluster).",
			"warning", false,
		},
		{
			Unmanageable, "An unusable BMC or MAC address",
			"metal3 does not know the scheme of `spec.bmc.address`, or the address has no host or a wrong " +
				"port; or `spec.bootMACAddress` is no MAC address. The address is not repeated, because a login " +
				"may be in it.",
			"Correct the address. A login belongs into the Secret that `credentialsName` names.",
			"error; a warning for a scheme that metal3 does not know", false,
		},
		{
			Unread, "An annotation that nobody reads",
			"Its key has sipgen's domain, or looks like one that sipgen reads ([keys.md](keys.md)), and does " +
				"nothing; or it gives a host an address on a network that no cluster uses and no other host is " +
				"on.",
			"Correct the key or the network, or remove the annotation.",
			"warning", false,
		},
		{
			Emptied, "A host whose spec was emptied",
			"By its status a system is on the host, and its spec names neither an image nor a BMC any more. " +
				"metal3 wipes the server as soon as somebody puts the BMC back without the image.",
			"Pause the host before anything else: [Put an emptied spec back](runbooks/spec-emptied.md).",
			"error", false,
		},
		{
			Nameless, "Hosts without a uid",
			"A patch names its host by the uid, so that it can neither create a host nor change another one " +
				"of the same name. Manifests that people write have none, because the API server gives it. There " +
				"is one finding for all such hosts.",
			"Read the hosts from the cluster (`--inventory cluster`) or from a snapshot (`sipgen inventory`), " +
				"or use [`hosts.apply: overlay`](gitops.md#host-manifests-in-git).",
			"warning", false,
		},
		{
			Ownerless, "A host labelled for a cluster that is not there",
			"The cluster that its labels name is in neither the specs nor the tree. Nobody gets such a host: " +
				"it may be another site's, or another tool's. There is one finding for each such cluster.",
			"Put the spec back if it is lost; if nobody has the host, release it with " +
				"[`spec.hosts.release`](placement.md#owner-of-a-host).",
			"warning", false,
		},
		{
			Alike, "Failure domains that differ in capital letters",
			"Hosts carry the topology label with two values such as `r1` and `R1`. These are two domains, and " +
				"what most likely is one rack may get twice as many hosts as intended.",
			"Give the hosts of one domain the same value.",
			"warning", false,
		},
		{
			Reserved, "Tokens may name Kubernetes' own users or groups",
			"`kubernetes.groupsPrefix` of a Dex is empty, or `usernamePrefix` is empty and the claim is not " +
				"`email`. A user or group that the identity provider names `system:masters` has that one's rights " +
				"in the tenant's cluster. `authentication.yaml` has a rule against it; `kube-apiserver-flags.txt` " +
				"cannot have one.",
			"Leave the field out, which means `oidc:`, or use `authentication.yaml` and suppress the finding.",
			"warning", false,
		},
		{
			Invalid, "A spec that is not valid",
			"A file cannot be read, a field is unknown or has a wrong value, or two documents define one " +
				"cluster.",
			"Correct the field that the message names.",
			"error", true,
		},
		{
			Absent, "A cluster of the tree without a spec",
			"The tree has the cluster, and its spec is not among the inputs. Nothing of it changes.",
			"Put the spec back, or name the cluster in the Site's `spec.decommission` to [let it " +
				"go](tenants.md#remove-a-cluster).",
			"error", true,
		},
		{
			Strange, "A spec in somebody else's folder or namespace",
			"Its file is another tenant's, or its namespace is not one of the tenant who wrote it. It counts " +
				"as no spec.",
			"Move the file, or change the tenant's `namespaces` or `specs` in the Site.",
			"error", false,
		},
		{
			Loss, "A spec that gives up too many hosts",
			"It would take more hosts from the cluster than the brake allows.",
			"If that is meant, set the annotation `sip.airshipit.org/accept-loss` with the number that the " +
				"message names.",
			"error", true,
		},
		{
			Build, "Services that cannot be built",
			"The overlay of the cluster's services does not build, or what comes out is not what its tenant " +
				"may have.",
			"Correct the field or the patch that the message names.",
			"error", true,
		},
		{
			Unpatchable, "A host or a service that sipgen may not change",
			"An engine, another app or the SIP operator owns what a patch of the host, or the cluster's " +
				"service, would touch: a sync could take the spec from the host, or fail. A cluster that has the " +
				"host is frozen; a free host is not handed out.",
			"Run the command that the message names, and read the inventory again.",
			"error", false,
		},
		{
			Crossing, "A role that contradicts the hosts",
			"Its topology keys cross, or none of its hosts has an address on a network that the cluster's " +
				"services use.",
			"Correct the role, or the hosts' labels or network data.",
			"error", true,
		},
		{
			Moves, "A host in use whose labels differ from the tree's",
			"The sync guard denies such a patch, and with it the sync of all hosts of the cluster. The labels " +
				"stay as they are.",
			"Set the labels as a member of the break-glass groups, but only if the tree is right: the message " +
				"has the command.",
			"warning", false,
		},
		{
			Guards, "Two sites guard the same namespaces",
			"Each site's guards would deny what the other's engine does. The run writes nothing.",
			"Give each site on one API server its own `spec.hosts.namespaces`.",
			"error", false,
		},
		{
			Leftover, "What the SIP operator left",
			"The first sync over its services renames a port or needs a Secret that is not there, or a " +
				"SIPCluster has the operator's finalizer.",
			"Follow the message, which has the command; [from-sip.md](from-sip.md) has the whole way.",
			"warning", false,
		},
		{
			Blind, "Nobody knows who owns the hosts' fields",
			"The inventory has no managedFields, so preflight cannot tell whether the engine would take the " +
				"spec from a host.",
			"Read the hosts from the cluster, or from a snapshot of it.",
			"warning", false,
		},
	}
}
