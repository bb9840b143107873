package session

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"demi.network/contract"
)

// manyMessages is a contract with n messages, of which the listed ones have
// another rate.
func manyMessages(n int, name string, faster map[int]bool, without map[int]bool) *contract.Contract {
	sec := contract.Section{Name: "messages"}
	for i := range n {
		if without[i] {
			continue
		}
		rate := 10
		if faster[i] {
			rate = 12
		}
		k := contract.Key{Name: fmt.Sprintf("%s%04d", name, i), Definition: fmt.Sprintf(`{"rate_limit":%d,"schema":{"maxLength":%d}}`, rate, i)}
		sum := sha256.Sum256([]byte(k.Definition))
		copy(k.Digest[:], sum[:])
		sec.Keys = append(sec.Keys, k)
		sec.Digest[i%16] ^= k.Digest[0] + byte(i) + name[0]
	}
	return &contract.Contract{Sections: []contract.Section{{Name: "id"}, sec}}
}

// TestDifferencesAreNamedHoweverLargeTheContract: the frames are bounded, and
// what differs is still named.
func TestDifferencesAreNamedHoweverLargeTheContract(t *testing.T) {
	long := strings.Repeat("n", 60)
	for _, tc := range []struct {
		name         string
		host, client *contract.Contract
		want         []string
	}{
		{"small", manyMessages(5, "m", nil, nil), manyMessages(5, "m", map[int]bool{3: true}, nil), []string{"messages/m0003/rate_limit: 12 here, 10 there"}},
		{"one of 1000", manyMessages(1000, "m", nil, nil), manyMessages(1000, "m", map[int]bool{777: true}, nil), []string{"messages/m0777/rate_limit: 12 here, 10 there"}},
		{"long names", manyMessages(900, long, nil, nil), manyMessages(900, long, map[int]bool{899: true}, nil), []string{"messages/" + long + "0899/rate_limit: 12 here, 10 there"}},
		{"absent here", manyMessages(5, "m", nil, nil), manyMessages(5, "m", nil, map[int]bool{2: true}), []string{"messages/m0002: absent here"}},
		{"absent there", manyMessages(5, "m", nil, map[int]bool{2: true}), manyMessages(5, "m", nil, nil), []string{"messages/m0002: "}},
	} {
		h := hello{Protocol: Protocol, Sections: prints(tc.client), Name: strings.Repeat("x", 4*maxNameBytes), Build: strings.Repeat("b", maxBuildBytes), Ticket: make([]byte, maxTicketBytes)}
		if b := appendFrame(nil, kindHello, 0, &h); len(b) > maxHello {
			t.Errorf("%s: a hello of %d bytes", tc.name, len(b))
		}
		r := refuse{Protocol: Protocol, Text: strings.Repeat("t", maxTextBytes)}
		r.Keys, r.Truncated = refuseKeys(tc.host, h.Sections)
		b := appendFrame(nil, kindRefuse, 0, &r)
		if len(b) > maxRefuse {
			t.Errorf("%s: a refuse of %d bytes", tc.name, len(b))
		}
		var back refuse
		if !decode(b[headerBytes:], &back) {
			t.Fatalf("%s: it does not read back", tc.name)
		}
		var got []string
		for _, d := range differences(tc.client, &back) {
			got = append(got, d.String())
		}
		if len(got) != len(tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], tc.want[i]) {
				t.Errorf("%s: %q, want %q", tc.name, got[i], tc.want[i])
			}
		}
	}
}

// TestEverythingDiffers: another contract altogether does not make larger
// frames, and is named as far as they reach.
func TestEverythingDiffers(t *testing.T) {
	host, client := manyMessages(1000, "a", nil, nil), manyMessages(1000, "b", nil, nil)
	r := refuse{Protocol: Protocol}
	r.Keys, r.Truncated = refuseKeys(host, prints(client))
	if b := appendFrame(nil, kindRefuse, 0, &r); len(b) > maxRefuse || !r.Truncated || len(r.Keys) < 50 {
		t.Errorf("%d bytes, truncated %t, %d keys", len(b), r.Truncated, len(r.Keys))
	}
	if list := differences(client, &r); len(list) < 50 {
		t.Errorf("%d differences named", len(list))
	}
}
