package overlay

// Built is a folder, and the result of its build by kustomize. A build takes about 15 ms, so the result is passed on.
type Built struct {
	Folder Folder
	// Objects in kustomize's order.
	Objects []Object
	// OwnImages are the objects with every image by the name that the tenant and the Site gave it, where a mirror
	// renames them; else Objects.
	OwnImages []Object
}

// Built builds the folder.
func (f Folder) Built() (Built, error) {
	built, err := f.Build()
	return Built{Folder: f, Objects: built, OwnImages: built}, err
}

// And returns this with the objects of another folder, one without generated objects.
func (b Built) And(more Built) Built {
	b.Objects = append(b.Objects[:len(b.Objects):len(b.Objects)], more.Objects...)
	b.OwnImages = append(b.OwnImages[:len(b.OwnImages):len(b.OwnImages)], more.OwnImages...)
	return b
}
