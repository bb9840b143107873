package runtime

import (
	"encoding/json"
	"fmt"
)

// Report is what a peer did, for files and for comparing peers. Its JSON has
// the same order every time.
type Report struct {
	Role         string            `json:"role"` // host, client, offline
	Name         string            `json:"name"`
	SenderID     string            `json:"sender_id"`
	ContractHash string            `json:"contract_hash"` // sha256:…, of the meaning
	Epoch        uint32            `json:"epoch"`
	Ticks        uint64            `json:"ticks"`
	LateTicks    uint64            `json:"late_ticks_skipped"`
	Phase        string            `json:"phase"`
	Peers        []PeerReport      `json:"peers"` // host: in join order, the departed included
	Entities     []EntityReport    `json:"entities"`
	Spawns       []SpawnReport     `json:"spawns"`
	Despawns     []DespawnReport   `json:"despawns"`
	Ownerships   []OwnershipReport `json:"ownerships"` // changes of owner
	Leaves       []LeaveReport     `json:"leaves"`
	Hashes       []TickHash        `json:"hashes"` // client: what it holds; host: the whole world
	Snapshots    SnapshotReport    `json:"snapshots"`
	Bytes        ByteReport        `json:"bytes"`
	Predictions  PredictionReport  `json:"predictions"`
	Refusals     map[string]uint64 `json:"refusals"`   // by reason; encoded with sorted keys
	RefusedBy    []RefusalReport   `json:"refused_by"` // the same by message, with the contract's rule
	Messages     MessageReport     `json:"messages"`
	RTTMS        float64           `json:"rtt_ms"`
	Loss         float64           `json:"loss"`
	Ending       string            `json:"ending"` // code that the session ended with; "" = it had not
	Errors       []ErrorReport     `json:"errors"`
}

// PeerReport is a client as its host saw it.
type PeerReport struct {
	SenderID string     `json:"sender_id"`
	Name     string     `json:"name"`
	Phase    string     `json:"phase"`
	JoinTick uint32     `json:"join_tick"` // at which it was active, with every retained spawn
	RTTMS    float64    `json:"rtt_ms"`
	Loss     float64    `json:"loss"`
	Hashes   []TickHash `json:"hashes"` // of what the client must hold
}

// EntityReport is a live entity.
type EntityReport struct {
	ID         string `json:"id"`
	Prefab     string `json:"prefab"` // key
	Owner      string `json:"owner"`
	Generation uint32 `json:"generation"`
}

// SpawnReport is one spawn that this peer saw; Late says that the entity was
// there before this client.
type SpawnReport struct {
	Tick   uint32 `json:"tick"`
	ID     string `json:"id"`
	Prefab string `json:"prefab"`
	Owner  string `json:"owner"`
	Late   bool   `json:"late,omitempty"`
}

// DespawnReport is one entity that went.
type DespawnReport struct {
	Tick uint32 `json:"tick"`
	ID   string `json:"id"`
}

// OwnershipReport is one change of owner.
type OwnershipReport struct {
	Tick       uint32 `json:"tick"`
	ID         string `json:"id"`
	Owner      string `json:"owner"`
	Generation uint32 `json:"generation"`
}

// LeaveReport is one peer that left.
type LeaveReport struct {
	Tick     uint32   `json:"tick"`
	SenderID string   `json:"sender_id"`
	Code     string   `json:"code"`
	Entities []string `json:"entities"`
}

// SnapshotReport counts snapshots and publications.
type SnapshotReport struct {
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`
	Complete uint64 `json:"complete"` // received, with nothing left for a later one
	Early    uint64 `json:"early"`    // rows before their spawn or ownership record
	Stale    uint64 `json:"stale"`    // rows of a generation that is over
	Refused  uint64 `json:"refused"`  // rows or bodies that broke a rule
	Hashed   uint64 `json:"hashed"`
}

// ByteReport counts UDP payload.
type ByteReport struct {
	Down        uint64  `json:"down"` // received
	Up          uint64  `json:"up"`   // sent
	DownBPS     float64 `json:"down_bps"`
	UpBPS       float64 `json:"up_bps"`
	PerSnapshot float64 `json:"per_snapshot"` // body bytes, mean
}

// PredictionReport counts predictions.
type PredictionReport struct {
	Checked    uint64  `json:"checked"`
	Wrong      uint64  `json:"wrong"`
	WorstField string  `json:"worst_field"`
	MaxError   float64 `json:"max_error"`
	Replayed   uint64  `json:"replayed"`
}

// RefusalReport is one counter of refusals and the rule of the contract behind
// it. Message, Path and Line are absent when no message's rule refused.
type RefusalReport struct {
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Count   uint64 `json:"count"`
}

// MessageReport counts messages.
type MessageReport struct {
	Sent     uint64                  `json:"sent"`
	Received uint64                  `json:"received"`
	Rejected uint64                  `json:"rejected"`
	ByName   map[string]MessageCount `json:"by_name"` // those that were sent or delivered at all
}

// MessageCount counts one message of the contract. From counts what was
// delivered to the game by sender.
type MessageCount struct {
	Sent     uint64            `json:"sent"`
	Received uint64            `json:"received"`
	From     map[string]uint64 `json:"from,omitempty"`
}

// ErrorReport is one fault of a run.
type ErrorReport struct {
	Code string         `json:"code"`
	Text string         `json:"text"`
	Data map[string]any `json:"data,omitempty"`
}

// TickHash is a hash at a tick; its JSON is [tick, "16 hex digits"].
type TickHash struct {
	Tick uint32
	Hash uint64
}

// MarshalJSON writes [tick, "hex"].
func (h TickHash) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `[%d,"%016x"]`, h.Tick, h.Hash), nil
}

// UnmarshalJSON reads [tick, "hex"].
func (h *TickHash) UnmarshalJSON(b []byte) error {
	var parts [2]json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var hex string
	if err := json.Unmarshal(parts[0], &h.Tick); err != nil {
		return err
	}
	if err := json.Unmarshal(parts[1], &hex); err != nil {
		return err
	}
	if n, err := fmt.Sscanf(hex, "%016x", &h.Hash); n != 1 || len(hex) != 16 {
		return fmt.Errorf("runtime: %q is not a hash of 16 hex digits: %v", hex, err)
	}
	return nil
}
