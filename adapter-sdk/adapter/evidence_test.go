package adapter

import (
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// refuser can refuse tools and says nothing to the model.
type refuser struct{ plainClient }

func (refuser) Deny(Event, string) (Output, error) { return Output{ExitCode: 2}, nil }

const refusesSince2 = `{"evidence":[{"client":"tool","version":"2.0.0","platform":"linux-x64","observedAt":"2026-11-30",` +
	`"capability":"guards.beforeWrite","fixture":"fixtures/a.json","provenance":"fixtures/p.json","provenanceId":"run","idleBehavior":"x",` +
	`"busyBehavior":"x","authorityLevel":"tool","limitations":[],"result":"pass"}]}`

func TestEffective(t *testing.T) {
	guard, turn := certification.GuardWrite, certification.TurnContext
	tests := []struct {
		name     string
		client   Client
		manifest string
		declared []certification.Capability
		version  string
		want     certification.Verdict
		broken   bool // CheckEvidence refuses it
	}{
		{"proved", refuser{}, refusesSince2, []certification.Capability{guard}, "2.1.0", certification.Verdict{On: true, Version: "2.0.0"}, false},
		{"too old", refuser{}, refusesSince2, []certification.Capability{guard}, "1.9.9", certification.Verdict{Refusal: certification.TooOld, Version: "2.0.0"}, false},
		{"an unknown version is the newest that was tried", refuser{}, refusesSince2, []certification.Capability{guard}, "", certification.Verdict{On: true, Version: "2.0.0"}, false},
		{"not declared", refuser{}, refusesSince2, nil, "2.1.0", certification.Verdict{Refusal: certification.NotDeclared}, false},
		{"declared without evidence", refuser{}, `{"evidence":[]}`, []certification.Capability{guard}, "2.1.0", certification.Verdict{Refusal: certification.NotVerified}, true},
		{"declared without code", plainClient{}, refusesSince2, []certification.Capability{guard}, "2.1.0", certification.Verdict{Refusal: certification.NotDeclared}, true},
		{"a broken manifest", refuser{}, `{}`, []certification.Capability{guard}, "2.1.0", certification.Verdict{Refusal: certification.NotVerified}, true},
		{"another one's evidence", refuser{}, refusesSince2, []certification.Capability{guard, turn}, "2.1.0", certification.Verdict{On: true, Version: "2.0.0"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := New("tool", "Tool", tt.client, WithEvidence("tool", []byte(tt.manifest), tt.declared...))
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Effective(guard, tt.version); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if err := a.CheckEvidence(); (err != nil) != tt.broken {
				t.Errorf("check: %v", err)
			}
		})
	}
	a, err := New("tool", "Tool", refuser{})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Effective(guard, ""); got.On || a.CheckEvidence() != nil {
		t.Errorf("without any evidence: %+v", got)
	}
}
