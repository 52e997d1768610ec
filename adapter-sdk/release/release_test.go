package release

import "testing"

func TestParse(t *testing.T) {
	tests := []struct {
		in   string
		want Release
		ok   bool
	}{
		{"2.1.332", Release{2, 1, 332}, true}, {"0.0.0", Release{}, true}, {"1.2.3-beta.1+x", Release{1, 2, 3}, true}, {"1.2.3+5", Release{1, 2, 3}, true},
		{"", Release{}, false}, {"1.2", Release{}, false}, {"1.2.3.4", Release{}, false}, {"v1.2.3", Release{}, false}, {"1.02.3", Release{}, false},
		{"1.2.3-", Release{}, false}, {"1.2.-3", Release{}, false}, {"1.2.x", Release{}, false}, {"1.2.99999999999", Release{}, false}, {"1.2.3 ", Release{}, false},
	}
	for _, tt := range tests {
		if got, ok := Parse(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%q) = %v, %v; want %v, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestCompareIsNotByText(t *testing.T) {
	order := []string{"0.9.9", "1.0.0", "1.0.9", "1.0.10", "1.9.0", "1.10.0", "2.0.0"}
	for i := range order {
		for j := range order {
			a, _ := Parse(order[i])
			b, _ := Parse(order[j])
			if got := a.Compare(b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s against %s: %d", order[i], order[j], got)
			}
		}
	}
}
