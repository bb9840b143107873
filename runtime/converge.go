package runtime

import "fmt"

// Convergence is the outcome of comparing reports.
type Convergence struct {
	Clients    int          `json:"clients"`     // reports of clients that were given
	Compared   int          `json:"compared"`    // pairs of hashes, of all clients together
	Fewest     int          `json:"fewest"`      // pairs of the client that has the fewest
	Difference []Divergence `json:"differences"` // one for each client that differs
	Missing    []string     `json:"missing"`     // clients that cannot be compared, and why
}

// Divergence is a client that held something else than it had to.
type Divergence struct {
	SenderID string `json:"sender_id"`
	Name     string `json:"name"`
	Tick     uint32 `json:"tick"`   // the first that differs
	Host     string `json:"host"`   // what it had to hold then
	Client   string `json:"client"` // what it held
	Wrong    int    `json:"wrong"`  // ticks that differ
}

// OK says whether nothing differed, every client could be compared, and at
// least atLeast hashes of each were. No client at all is not OK.
func (c Convergence) OK(atLeast int) bool {
	return c.Clients > 0 && len(c.Difference) == 0 && len(c.Missing) == 0 && c.Fewest >= atLeast
}

// Converged compares what each client held with what the host says that it had
// to hold at the same tick. Ticks that only one side noted (a snapshot was
// lost, or did not hold everything) are not compared.
func Converged(host Report, clients ...Report) Convergence {
	c := Convergence{Clients: len(clients), Difference: []Divergence{}, Missing: []string{}}
	for i := range clients {
		client := &clients[i]
		n := 0
		truth, problem := counterpart(&host, client)
		if problem == "" {
			var d Divergence
			if n, d = compare(truth, client); d.Wrong > 0 {
				c.Difference = append(c.Difference, d)
			}
		} else {
			c.Missing = append(c.Missing, client.SenderID+": "+problem)
		}
		c.Compared += n
		if i == 0 || n < c.Fewest {
			c.Fewest = n
		}
	}
	return c
}

// counterpart finds what a host says of a client, or says why it cannot.
func counterpart(host, client *Report) (*PeerReport, string) {
	switch {
	case host.Role != Hosting.String():
		return nil, "the first report is not a host's"
	case client.Role != Joined.String():
		return nil, "the report is not a client's"
	case client.Epoch != host.Epoch:
		return nil, fmt.Sprintf("the reports are of different sessions: epoch %d here, %d at the host", client.Epoch, host.Epoch)
	}
	for i := range host.Peers {
		if host.Peers[i].SenderID == client.SenderID {
			return &host.Peers[i], ""
		}
	}
	return nil, "the host's report does not know this client"
}

func compare(truth *PeerReport, client *Report) (compared int, d Divergence) {
	d = Divergence{SenderID: client.SenderID, Name: client.Name}
	must := make(map[uint32]uint64, len(truth.Hashes))
	for _, h := range truth.Hashes {
		must[h.Tick] = h.Hash
	}
	for _, h := range client.Hashes {
		want, ok := must[h.Tick]
		if !ok {
			continue
		}
		compared++
		if want == h.Hash {
			continue
		}
		if d.Wrong++; d.Wrong == 1 {
			d.Tick, d.Host, d.Client = h.Tick, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", h.Hash)
		}
	}
	return compared, d
}
