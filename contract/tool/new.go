package tool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"demi.network/contract"
	"demi.network/runtime/fault"
)

// File is one file of a new project. Path is relative to the project.
type File struct {
	Path string
	Data []byte
}

var nameShape = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Start returns the files of a new contract: the contract with one message and
// one replicated prefab, its manifest, the prefab, an empty scene, and a project
// that names them. What they hold is valid, and a host can run it. A name is lower-case letters, digits and
// underscores.
func Start(name string) ([]File, error) {
	if !nameShape.MatchString(name) {
		e := fault.New(fault.Usage, "%q is not a name", name)
		e.Hint = "use lower-case letters, digits and underscores, a letter first, at most 32"
		return nil, e
	}
	fill := strings.NewReplacer("NAME", name)
	source := []byte(fill.Replace(newContract))
	manifest := fmt.Sprintf(newManifest, name, name, contract.SourceHash(name+".network.json", source))
	return []File{
		{contract.ProjectFile, []byte(fill.Replace(newProject))},
		{"assets/network/" + name + ".asset.json", []byte(manifest)},
		{"assets/network/" + name + ".network.json", source},
		{"prefabs/player.prefab.json", []byte(newPrefab)},
		{"scenes/main.scene.json", []byte(fill.Replace(newScene))},
	}, nil
}

// New writes a new contract into a folder. A project file, a prefab or a scene
// that exists already stays, and what to put into it is printed; a contract that
// exists is an error.
func New(w io.Writer, dir, name string) error {
	files, err := Start(name)
	if err != nil {
		return err
	}
	p := printer{w: w}
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return writeFailed(err, full)
		}
		out, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case errors.Is(err, os.ErrExist) && strings.HasPrefix(f.Path, "assets/"):
			return writeFailed(err, full)
		case errors.Is(err, os.ErrExist):
			p.line("kept    %s", filepath.ToSlash(full))
			if f.Path == contract.ProjectFile {
				p.line("        put into it: \"network_contract\": \"asset://network/%s\"", name)
			}
			continue
		case err != nil:
			return writeFailed(err, full)
		}
		_, err = out.Write(f.Data)
		if err = errors.Join(err, out.Close()); err != nil {
			return writeFailed(err, full)
		}
		p.line("created %s", filepath.ToSlash(full))
	}
	return p.failure()
}

func writeFailed(err error, name string) error {
	e := fault.Wrap(err, fault.Config, "the file cannot be created")
	e.Place.Path = filepath.ToSlash(name)
	return e
}

const newProject = `{
  "format_version": 1,
  "name": "NAME",
  "network_contract": "asset://network/NAME",
  "main_scene": "scene://NAME/main",
  "scenes": [
    {"id": "scene://NAME/main", "path": "scenes/main.scene.json"}
  ]
}
`

const newScene = `{
  "format_version": 1,
  "id": "scene://NAME/main",
  "name": "Main",
  "entities": []
}
`

const newManifest = `{
  "format_version": 1,
  "id": "asset://network/%s",
  "type": "NetworkContract",
  "importer": "network_contract",
  "importer_version": 1,
  "source": "%s.network.json",
  "source_hash": "%s",
  "settings": {},
  "dependencies": []
}
`

const newContract = `{
  "format_version": 1,
  "id": "network-contract://NAME/main",
  "replicated_prefabs": {
    "player": {
      "prefab": "prefab://player",
      "ownership": {"default": "server", "on_disconnect": "despawn"},
      "components": {
        "Transform2D": {
          "position": {"write_by": "owner", "rate": 30},
          "rotation": {"write_by": "owner", "rate": 15}
        }
      }
    }
  },
  "messages": {
    "chat": {
      "from": "all",
      "to": "all",
      "rate_limit": 5,
      "maximum_bytes": 256,
      "schema": {
        "type": "object",
        "required": ["text"],
        "properties": {
          "text": {"type": "string", "maxLength": 200}
        },
        "additionalProperties": false
      }
    }
  }
}
`

const newPrefab = `{
  "format_version": 1,
  "id": "prefab://player",
  "name": "Player",
  "entities": [
    {
      "id": "ent_player",
      "name": "Player",
      "components": {
        "Transform2D": {"position": [0, 0]}
      }
    }
  ]
}
`
