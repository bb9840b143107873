package replica

// proofSize is how many hashes a Proof keeps.
const proofSize = 4096

// TickHash is a hash of state at a tick.
type TickHash struct {
	Tick uint32
	Hash uint64
}

// Proof keeps the newest 4096 hashes of what a peer holds, or must hold. The
// host computes them from its own rows, a client from what it decoded, so that
// equal hashes prove equal state and not equal bytes.
type Proof struct {
	ring  []TickHash
	next  int
	Total uint64 // hashes noted
}

// Note adds a hash, in the place of the oldest when there are too many.
func (p *Proof) Note(tick uint32, hash uint64) {
	p.Total++
	if len(p.ring) < proofSize {
		p.ring = append(p.ring, TickHash{tick, hash})
		return
	}
	p.ring[p.next] = TickHash{tick, hash}
	p.next = (p.next + 1) % proofSize
}

// All appends the hashes to dst, oldest first.
func (p *Proof) All(dst []TickHash) []TickHash {
	dst = append(dst, p.ring[p.next:]...)
	return append(dst, p.ring[:p.next]...)
}
