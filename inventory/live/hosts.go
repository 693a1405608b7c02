// Package live reads the hosts of a site from a cluster: paged, consistent, and only the Secrets that a host names as
// network data.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
)

// Options select what to read of a live cluster. The zero value reads the hosts of all namespaces, with all
// addresses.
type Options struct {
	// Namespaces of the hosts; none means all.
	Namespaces []string
	// NeedsAddresses reports whether a host's network data Secret should be read; nil reads all. Fewer Secrets mean
	// fewer requests and fewer secrets in memory.
	NeedsAddresses func(*inventory.Host) bool
	// Now is the time of the inventory.
	Now time.Time
	// backoff is between tries of one request; nil means patience.
	backoff *wait.Backoff
}

// secretReaders bounds how many Secrets are fetched at the same time.
const secretReaders = 16

var (
	hostResource = schema.GroupVersionResource{Group: inventory.Group, Version: inventory.Version,
		Resource: inventory.HostResource}
	hardwareResource = schema.GroupVersionResource{Group: inventory.Group, Version: inventory.Version,
		Resource: inventory.HardwareResource}
)

// Hosts reads the live hosts. Lists are paged and consistent: every page is of the same
// resourceVersion, and a list that cannot be read to its end is an error, never a smaller inventory.
func Hosts(ctx context.Context, cfg *rest.Config, options Options) (_ *inventory.Inventory, err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	backoff := patience()
	if options.backoff != nil {
		backoff = *options.backoff
	}
	ctx = klog.NewContext(ctx, klog.Logger{}) // client-go does not log: its errors are returned
	reader, err := newReader(cfg, hostResource.GroupVersion(), backoff)
	if err != nil {
		return nil, err
	}
	secrets, err := newSecretReader(cfg, backoff)
	if err != nil {
		return nil, err
	}
	inv := &inventory.Inventory{TakenAt: options.Now.UTC(), Context: bmh.WithoutUser(cfg.Host), HasManagedFields: true}
	var live []*metal3.BareMetalHost
	for _, namespace := range orAll(options.Namespaces) {
		before := len(inv.Hosts)
		err := reader.list(ctx, hostResource.Resource, namespace, func(item json.RawMessage) error {
			object, host, err := hostFromItem(item, namespace)
			if err != nil {
				return err
			}
			inv.Hosts = append(inv.Hosts, host)
			live = append(live, object)
			return nil
		}, func() { inv.Hosts, live = inv.Hosts[:before], live[:before] })
		if err != nil {
			return nil, err
		}
	}
	hardware, err := reader.liveHardware(ctx, options, inv.Hosts, live)
	if err != nil {
		return nil, err
	}
	if err := liveAddresses(ctx, secrets, inv.Hosts, live, hardware, options); err != nil {
		return nil, err
	}
	inventory.Sort(inv.Hosts)
	return inv, nil
}

func orAll(namespaces []string) []string {
	if len(namespaces) == 0 {
		return []string{metav1.NamespaceAll}
	}
	namespaces = slices.Clone(namespaces)
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}

func (o *Options) needs(host *inventory.Host) bool {
	return o.NeedsAddresses == nil || o.NeedsAddresses(host)
}

// liveHost is a BareMetalHost without the unused parts: most of the inspected hardware, history, status of the last
// operations. These are most of the object, and most of the time to decode it.
type liveHost struct {
	Kind              string `json:"kind"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              metal3.BareMetalHostSpec `json:"spec"`
	Status            struct {
		OperationalStatus metal3.OperationalStatus `json:"operationalStatus"`
		ErrorType         metal3.ErrorType         `json:"errorType"`
		ErrorMessage      string                   `json:"errorMessage"`
		Provisioning      struct {
			State metal3.ProvisioningState `json:"state"`
		} `json:"provisioning"`
		Hardware *slimDetails `json:"hardware"`
	} `json:"status"`
}

// undecoded names the item that cannot be decoded, and the problem.
func undecoded(item json.RawMessage) error {
	var head struct {
		Metadata struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
	}
	wrong := fmt.Errorf("%s: an item is not a %s", hostResource.Resource, bmh.KindHost)
	if json.Unmarshal(item, &head) != nil || head.Metadata.Name == "" {
		return wrong
	}
	doc := manifest.Document{File: bmh.Live, Index: 1, Line: 1, Kind: bmh.KindHost, Namespace: head.Metadata.Namespace,
		Name: head.Metadata.Name, JSON: item}
	return fmt.Errorf("%w: %s: %w", wrong, text.Line(bmh.Key(head.Metadata.Namespace, head.Metadata.Name)),
		doc.DecodeLoose(&liveHost{}))
}

// hostFromItem decodes one item of a list, and keeps of the object only what its addresses need. An item of another
// kind or namespace than requested is an error.
func hostFromItem(item json.RawMessage, namespace string) (*metal3.BareMetalHost, inventory.Host, error) {
	var found liveHost
	if err := json.Unmarshal(item, &found); err != nil {
		return nil, inventory.Host{}, undecoded(item)
	}
	if found.Kind != "" && found.Kind != bmh.KindHost {
		return nil, inventory.Host{}, fmt.Errorf("%s: an item is of kind %s, want %s", hostResource.Resource,
			text.Line(found.Kind), bmh.KindHost)
	}
	if namespace != "" && found.Namespace != namespace {
		return nil, inventory.Host{}, fmt.Errorf("%s: the list of namespace %s has an item of namespace %s",
			hostResource.Resource, namespace, text.Line(found.Namespace))
	}
	object := metal3.BareMetalHost{ObjectMeta: found.ObjectMeta, Spec: found.Spec}
	object.Status.OperationalStatus, object.Status.ErrorType, object.Status.ErrorMessage = found.Status.OperationalStatus,
		found.Status.ErrorType, found.Status.ErrorMessage
	object.Status.Provisioning.State = found.Status.Provisioning.State
	host := bmh.FromObject(&object)
	host.Source.File = bmh.Live
	host.Managers = bmh.Managers(found.ManagedFields)
	slim := &metal3.BareMetalHost{}
	for name, value := range found.Annotations {
		if strings.HasPrefix(name, inventory.AddressAnnotationKey) {
			metav1.SetMetaDataAnnotation(&slim.ObjectMeta, name, value)
		}
	}
	slim.Spec.NetworkData = found.Spec.NetworkData
	slim.Spec.PreprovisioningNetworkDataName = found.Spec.PreprovisioningNetworkDataName
	slim.Status.HardwareDetails = object.Status.HardwareDetails
	if hardware := found.Status.Hardware; hardware != nil {
		slim.Status.HardwareDetails = hardware.details()
	}
	return slim, host, nil
}

// liveHardware reads HardwareData, by host, if a host that needs addresses has no hardware in its status: metal3
// keeps inspection results there as well, for now. A cluster without the CRD has none.
func (r *reader) liveHardware(ctx context.Context, options Options, hosts []inventory.Host,
	live []*metal3.BareMetalHost) (map[string]*manifest.Document, error) {
	lacking := map[string]bool{}
	for i := range hosts {
		if live[i].Status.HardwareDetails == nil && options.needs(&hosts[i]) {
			lacking[hosts[i].Key()] = true
		}
	}
	if len(lacking) == 0 {
		return nil, nil
	}
	found := map[string]*manifest.Document{}
	for _, namespace := range orAll(options.Namespaces) {
		err := r.list(ctx, hardwareResource.Resource, namespace, func(item json.RawMessage) error {
			var data slimHardware
			if err := json.Unmarshal(item, &data); err != nil {
				return fmt.Errorf("%s: an item is not a %s", hardwareResource.Resource, bmh.KindHardwareData)
			}
			if !lacking[bmh.Key(data.Metadata.Namespace, data.Metadata.Name)] {
				return nil
			}
			text, err := json.Marshal(data)
			found[bmh.Key(data.Metadata.Namespace, data.Metadata.Name)] = &manifest.Document{
				File: bmh.Live, Index: 1, Line: 1, Kind: bmh.KindHardwareData, Namespace: data.Metadata.Namespace,
				Name: data.Metadata.Name, JSON: text,
			}
			return err
		}, func() { clear(found) })
		switch {
		case errors.Is(err, ErrMissingCRD):
			return nil, nil
		case err != nil:
			return nil, err
		}
	}
	return found, nil
}

// slimHardware is the part of a HardwareData that is read.
type slimHardware struct {
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Hardware *slimDetails `json:"hardware,omitempty"`
	} `json:"spec"`
}

// slimDetails is the part of inspected hardware that addresses come from, or that roles ask for.
type slimDetails struct {
	SystemVendor struct {
		Manufacturer string `json:"manufacturer,omitempty"`
		ProductName  string `json:"productName,omitempty"`
	} `json:"systemVendor,omitzero"`
	CPU struct {
		Arch  string `json:"arch,omitempty"`
		Count int    `json:"count,omitempty"`
	} `json:"cpu,omitzero"`
	RAMMebibytes int `json:"ramMebibytes,omitempty"`
	NICs         []struct {
		Name      string `json:"name,omitempty"`
		MAC       string `json:"mac,omitempty"`
		IP        string `json:"ip,omitempty"`
		SpeedGbps int    `json:"speedGbps,omitempty"`
	} `json:"nics,omitempty"`
	Storage []struct {
		Type       metal3.DiskType `json:"type,omitempty"`
		Rotational bool            `json:"rotational,omitempty"`
		SizeBytes  metal3.Capacity `json:"sizeBytes,omitempty"`
	} `json:"storage,omitempty"`
}

// details are the same as metal3 has them.
func (d *slimDetails) details() *metal3.HardwareDetails {
	out := &metal3.HardwareDetails{CPU: metal3.CPU{Arch: d.CPU.Arch, Count: d.CPU.Count}, RAMMebibytes: d.RAMMebibytes}
	out.SystemVendor.Manufacturer, out.SystemVendor.ProductName = d.SystemVendor.Manufacturer, d.SystemVendor.ProductName
	for _, nic := range d.NICs {
		out.NIC = append(out.NIC, metal3.NIC{Name: nic.Name, MAC: nic.MAC, IP: nic.IP, SpeedGbps: nic.SpeedGbps})
	}
	for _, disk := range d.Storage {
		out.Storage = append(out.Storage, metal3.Storage{Type: disk.Type, Rotational: disk.Rotational,
			SizeBytes: disk.SizeBytes})
	}
	return out
}

// liveAddresses fetches the network data Secrets of the hosts that need them, several at a time. A forbidden or
// invalid Secret is its host's own problem. If the server fails, the rest is not tried.
func liveAddresses(ctx context.Context, secrets *secretReader, hosts []inventory.Host, live []*metal3.BareMetalHost,
	hardware map[string]*manifest.Document, options Options) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(secretReaders)
	for i := range hosts {
		if !options.needs(&hosts[i]) {
			continue
		}
		if running.Err() != nil {
			break
		}
		group.Go(func() error {
			found, err := secrets.of(running, &hosts[i], live[i])
			if err != nil {
				return err
			}
			found.Hardware = hardware
			doc := &manifest.Document{File: bmh.Live, Index: 1, Line: 1, Namespace: hosts[i].Namespace, Name: hosts[i].Name}
			bmh.AddAddresses(&hosts[i], live[i], doc, found)
			return nil
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// Documents reads all objects of a resource as documents, for decoding by the caller.
func Documents(ctx context.Context, cfg *rest.Config, gvr schema.GroupVersionResource,
	kind string) (_ []manifest.Document, err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	ctx = klog.NewContext(ctx, klog.Logger{})
	reader, err := newReader(cfg, gvr.GroupVersion(), patience())
	if err != nil {
		return nil, err
	}
	var docs []manifest.Document
	err = reader.list(ctx, gvr.Resource, metav1.NamespaceAll, func(item json.RawMessage) error {
		found, err := manifest.Parse(bmh.Live, item)
		for i := range found {
			doc := &found[i]
			doc.Index = len(docs) + 1 + i
			doc.Live, doc.File = true, strings.ToLower(kind)+" "+bmh.Key(doc.Namespace, doc.Name)
			if doc.Kind == "" {
				doc.Kind, doc.APIVersion = kind, gvr.GroupVersion().String()
			}
		}
		docs = append(docs, found...)
		return err
	}, func() { docs = nil })
	return docs, err
}
