package view

import "github.com/acc-control-plane/acc/protocol/strictjson"

// BundledFile is one file of a bundle.
type BundledFile struct {
	Name  string
	Bytes int
}

// BundledData is the answer of support-bundle.
type BundledData struct {
	Path  string
	Files []BundledFile
}

// Bundled is the answer of support-bundle.
var Bundled = &Schema[BundledData]{name: "bundled", doc: "What was written for somebody who helps.", data: func() strictjson.Type[BundledData] {
	return strictjson.Nested(&strictjson.Object[BundledData]{
		Name: "bundled",
		Members: func() []strictjson.Member[BundledData] {
			return []strictjson.Member[BundledData]{
				field("path", "the archive", func(d *BundledData) *string { return &d.Path }, text),
				field("files", "in it", func(d *BundledData) *[]BundledFile { return &d.Files }, list(&strictjson.Object[BundledFile]{
					Name: "bundledFile", Doc: "One file of the archive.",
					Members: func() []strictjson.Member[BundledFile] {
						return []strictjson.Member[BundledFile]{
							field("name", "in the archive", func(f *BundledFile) *string { return &f.Name }, text),
							field("bytes", "its size", func(f *BundledFile) *int { return &f.Bytes }, count),
						}
					},
				})),
			}
		},
	})
}}
