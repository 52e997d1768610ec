package view

import (
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// ConfigData is the answer of config init and config validate.
type ConfigData struct {
	Path   string
	Config workspace.Config
}

// Config is the answer of config init and config validate.
var Config = &Schema[ConfigData]{name: "config", doc: "The configuration that was written or checked.", data: func() strictjson.Type[ConfigData] {
	return strictjson.Nested(&strictjson.Object[ConfigData]{
		Name: "config",
		Members: func() []strictjson.Member[ConfigData] {
			return []strictjson.Member[ConfigData]{
				field("path", "of the file", func(c *ConfigData) *string { return &c.Path }, text),
				field("workspaceId", "the room it names", func(c *ConfigData) *string { return &c.Config.WorkspaceID }, word),
				nullable("displayName", "what people call it", func(c *ConfigData) *string { return &c.Config.DisplayName }, text),
				field("roots", "its directories, relative to the file; none: the file's own", func(c *ConfigData) *[]string { return &c.Config.Roots }, lines),
			}
		},
	})
}}
