package fsstore

import (
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// retention is retention.json: the floor below which events may be gone.
type retention struct{ TrimmedThrough string }

var retentionFormat = &strictjson.Object[retention]{
	Name: "retention", Doc: "What was trimmed.", MaxBytes: maxMark,
	Members: []strictjson.Member[retention]{
		strictjson.Field("trimmedThrough", "highest sequence whose event may be gone", func(r *retention) *string { return &r.TrimmedThrough },
			strictjson.String[string](&strictjson.Rule{Label: "sequence", Check: checkSequence})),
	},
}

func checkSequence(s string) string {
	if _, err := protocol.ParseSequence(s); err != nil {
		return "must be a sequence of 16 digits"
	}
	return ""
}

// readFloor gives the trim floor; one that cannot be read is none.
func readFloor(dir vfs.Dir) (uint64, error) {
	raw, err := dir.ReadFile(retentionFile, maxMark)
	if vfs.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, readError(retentionFile, err)
	}
	r, err := retentionFormat.Decode(raw)
	if err != nil {
		return 0, nil
	}
	return protocol.ParseSequence(r.TrimmedThrough)
}
