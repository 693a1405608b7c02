package app

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/publish"
)

// refuseInside returns an error if a site's folder is inside a folder that another site's tree has to itself. Next to
// these folders, two sites are independent of each other. above are the folders of the trees above the site's.
func refuseInside(site string, above []string) error {
	for _, other := range above {
		below := site
		if other != "." {
			below = strings.TrimPrefix(strings.TrimPrefix(site, other), "/")
		}
		if first, _, _ := strings.Cut(below, "/"); slices.Contains(search.Places, first) {
			return fmt.Errorf("%s: inside the tree of another site, at %s: only that site writes in %s; "+
				"choose a folder outside that tree", site, folderOrRoot(other), path.Join(other, first))
		}
	}
	return nil
}

// CheckFolder returns an error if a folder for a site's tree is inside a folder that another site's tree has to itself.
func CheckFolder(dir string) error {
	site, above, err := publish.DirSitesAbove(dir)
	if err != nil {
		return err
	}
	return refuseInside(site, above)
}

// sitesInside returns the folders of other sites' trees, from the files in a tree's folders that its list lacks.
func sitesInside(others []string) (folders []string) {
	lists := unnamedLists(others)
	for _, name := range others { // sorted: a tree comes before what is in it
		if path.Base(name) == publish.OwnershipFile && !slices.Contains(lists, name) && !isBelow(name, folders) {
			folders = append(folders, path.Dir(name))
		}
	}
	return folders
}

// unnamedLists returns, from the files in a tree's folders that its list lacks, lists of this tree's own that are in a
// cluster's folder: there is no tree of another site in that.
func unnamedLists(others []string) (lists []string) {
	for _, name := range others {
		folder := path.Dir(name)
		if is, _ := path.Match("clusters/*/*/"+publish.OwnershipFile, name); is &&
			!slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, folder+"/clusters/") }) {
			lists = append(lists, name)
		}
	}
	return lists
}

// refuseSitesInside returns an error for each tree of another site that is inside this one.
func refuseSitesInside(where, root string, folders []string) (problems []error) {
	for _, folder := range folders {
		first, _, _ := strings.Cut(folder, "/")
		problems = append(problems, fmt.Errorf("%s: the tree of another site, inside this one, at %s: "+
			"only this site writes in %s; move that tree to a folder outside this one", below(where, folder),
			folderOrRoot(root), path.Join(root, first)))
	}
	return problems
}

// isBelow reports whether a file is below one of the folders.
func isBelow(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(name, folder+"/") })
}

func folderOrRoot(folder string) string {
	if folder == "" || folder == "." {
		return "the repository's root"
	}
	return folder
}
