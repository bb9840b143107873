// Package arena_test checks that the example is what it claims to be: a valid
// project, whose scripts compile, and a contract that says what the README says.
package arena_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/parse"

	"demi.network/contract"
	"demi.network/internal/scene"
	"demi.network/runtime"
)

// load returns the arena's project and contract.
func load(t *testing.T) (*contract.Project, *contract.Contract) {
	t.Helper()
	fsys, closer, err := contract.OpenDir(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	p, problems := contract.LoadProject(fsys)
	for _, problem := range problems {
		t.Error(problem)
	}
	if p == nil {
		t.FailNow()
	}
	c, problems := contract.Load(fsys, p)
	for _, problem := range problems {
		t.Error(problem)
	}
	if c == nil {
		t.FailNow()
	}
	return p, c
}

func TestTheContractIsCleanAndStable(t *testing.T) {
	_, first := load(t)
	_, second := load(t)
	if first.MeaningHash != second.MeaningHash || first.CompatibilityHash != second.CompatibilityHash {
		t.Errorf("two loads of one project gave hashes %s and %s",
			hex.EncodeToString(first.MeaningHash[:]), hex.EncodeToString(second.MeaningHash[:]))
	}
	if first.ID != "network-contract://demi-net/arena" || first.AssetID != "asset://network/arena" {
		t.Errorf("the contract is %q from %q", first.ID, first.AssetID)
	}
}

// TestTheContractSaysWhatTheDemoShows: the demo relies on each of these rules.
func TestTheContractSaysWhatTheDemoShows(t *testing.T) {
	_, c := load(t)
	policies := map[string]contract.Policy{
		"player": contract.PolicyDespawn, "crate": contract.PolicyReturnToServer,
		"flag": contract.PolicyTransferByGame, "medkit": contract.PolicyDespawn,
	}
	if len(c.Prefabs) != len(policies) {
		t.Errorf("%d prefabs, want %d", len(c.Prefabs), len(policies))
	}
	for key, policy := range policies {
		if p := c.Prefab(key); p == nil || p.OnDisconnect != policy {
			t.Errorf("%s must exist with its own disconnect policy, got %+v", key, p)
		}
	}
	visible := map[string]contract.Visibility{}
	for _, f := range c.Prefab("player").Fields {
		visible[f.Path] = f.VisibleTo
	}
	for path, want := range map[string]contract.Visibility{
		"Fighter.health": contract.VisibleAll, "Fighter.shield": contract.VisibleOwnerAndServer,
		"Fighter.ammo": contract.VisibleOwner, "Fighter.guard": contract.VisibleServer,
	} {
		if got, ok := visible[path]; !ok || got != want {
			t.Errorf("%s is visible to %v (%v), want %v: the demo has a field of every visibility", path, got, ok, want)
		}
	}
	if m := c.Message("announce"); m == nil || m.From != contract.ActorServer {
		t.Error("announce must be the host's alone: it is the demo's forbidden message")
	}
	if m := c.Message("shot"); m == nil || m.From != contract.ActorOwner || m.Target != contract.TargetOwnedEntity || m.To != contract.ActorAll || m.Reliable {
		t.Errorf("shot must be an unreliable message of an owner to all, about its own entity: %+v", m)
	}
}

func TestTheSceneOpens(t *testing.T) {
	p, c := load(t)
	s, err := scene.Open(p, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.UseContract(c); err != nil {
		t.Fatal(err)
	}
	if err := runtime.Conform(s, c.Prefab("crate").Prefab, "Prop.worth", contract.FieldValue{7}); err != nil {
		t.Error(err)
	}
	for i := range c.Prefabs {
		prefab := &c.Prefabs[i]
		id := "test_" + prefab.Key
		if err := s.Create(prefab.Key, id); err != nil {
			t.Errorf("the host spawns %s: %v", prefab.Key, err)
			continue
		}
		for _, f := range prefab.Fields {
			v, ok := s.Read(id, f.Path)
			if !ok || !s.Write(id, f.Path, v) {
				t.Errorf("%s of %s cannot be read and written", f.Path, prefab.Key)
			}
			if v != f.Default {
				t.Errorf("%s of %s starts as %v, the contract says %v", f.Path, prefab.Key, v, f.Default)
			}
		}
	}
	for _, action := range []string{"move_x", "move_y", "aim", "fire", "carry", "guard", "tamper"} {
		if !s.Input.Known(action) {
			t.Errorf("the README promises the action %s", action)
		}
	}
	if _, ok := s.Raycast(0, 0, 1, 0, 100, "wall", ""); !ok {
		t.Error("shots must end at the arena's walls")
	}
}

func TestScriptsCompile(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS("scripts"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path.Join("scripts", name))
		if err != nil {
			return err
		}
		n++
		if _, err := parse.Parse(strings.NewReader(string(text)), name); err != nil {
			t.Errorf("the example must be valid Lua 5.1: %v", err)
		}
		return nil
	})
	if err != nil || n < 8 {
		t.Errorf("%d scripts, %v", n, err)
	}
}

// TestManifestsAreFresh computes the sidecars' hashes by the format's rule, not
// by the package that checks them.
func TestManifestsAreFresh(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS("assets"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".asset.json") {
			return err
		}
		n++
		text, err := os.ReadFile(path.Join("assets", name))
		if err != nil {
			return err
		}
		var manifest struct {
			ID, Source string
			SourceHash string `json:"source_hash"`
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			return err
		}
		source, err := os.ReadFile(path.Join("assets", path.Dir(name), manifest.Source))
		if err != nil {
			return err
		}
		h := fnv.New64a()
		h.Write([]byte(manifest.Source + "\x00"))
		h.Write(source)
		if want := fmt.Sprintf("fnv1a64:%016x", h.Sum64()); manifest.SourceHash != want {
			t.Errorf("%s: source_hash is %s, want %s", manifest.ID, manifest.SourceHash, want)
		}
		return nil
	})
	if err != nil || n != 7 {
		t.Errorf("%d manifests, %v", n, err)
	}
}
