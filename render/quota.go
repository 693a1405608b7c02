package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// quotaFile is, in a cluster's folder of rights, what the Site lets the cluster's namespace have.
const quotaFile = "quota.yaml"

// quota renders the tenant's quota and limit range for a cluster's namespace, beside the cluster's rights: the account that applies the services
// cannot change it. Each cluster of a namespace has one of its own, of the same content: several count the same things, so that they bound no
// more than one does, and none has to change hands when a cluster goes. It is as the Site says, also where the services stay as they were.
func (s *site) quota(key schedule.ClusterKey, files map[string][]byte) (err error) {
	delete(files, quotaFile)
	tenant := s.Site.TenantOf(key.Namespace)
	if !bounded(tenant) {
		return nil
	}
	meta := metav1.ObjectMeta{Namespace: key.Namespace, Name: "sipgen-" + key.Name, Labels: s.ofSite()}
	version := corev1.SchemeGroupVersion.String()
	var objects []any
	if len(tenant.Quota) > 0 {
		objects = append(objects, corev1.ResourceQuota{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ResourceQuota"}, ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Hard: tenant.Quota},
		})
	}
	if tenant.LimitRange != nil {
		objects = append(objects, corev1.LimitRange{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "LimitRange"}, ObjectMeta: meta,
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{tenant.LimitRange.Item()}},
		})
	}
	files[quotaFile], err = object.Marshal(objects...)
	return err
}

func bounded(tenant *v1alpha1.Tenant) bool {
	return tenant != nil && (len(tenant.Quota) > 0 || tenant.LimitRange != nil)
}
