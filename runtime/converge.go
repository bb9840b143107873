package runtime

import "fmt"

// Convergence is the outcome of comparing reports.
type Convergence struct {
	Clients     []ClientConvergence `json:"clients"`
	Compared    int                 `json:"compared"`    // hashes, of all clients together
	Differences int                 `json:"differences"` // of those, unequal ones
}

// ClientConvergence is the outcome for one client.
type ClientConvergence struct {
	SenderID  string `json:"sender_id"`
	Name      string `json:"name"`
	Compared  int    `json:"compared"`
	Different int    `json:"different"`
	FirstTick uint32 `json:"first_tick"` // at which they differ
	Host      string `json:"host"`       // what the client must have held then
	Client    string `json:"client"`     // what it held
	Problem   string `json:"problem"`    // why nothing can be compared; "" = nothing is in the way
}

// OK says whether nothing differed, no comparison was impossible, and at least
// atLeast hashes of each client were compared. No client at all is not OK.
func (c *Convergence) OK(atLeast int) bool {
	for i := range c.Clients {
		p := &c.Clients[i]
		if p.Problem != "" || p.Different > 0 || p.Compared < atLeast {
			return false
		}
	}
	return len(c.Clients) > 0
}

// Converged compares what each client held with what the host says it had to
// hold at the same tick. Ticks that only one side noted (a snapshot was lost,
// or did not hold everything) are not compared.
func Converged(host Report, clients ...Report) Convergence {
	c := Convergence{Clients: []ClientConvergence{}}
	for i := range clients {
		one := compare(&host, &clients[i])
		c.Compared += one.Compared
		c.Differences += one.Different
		c.Clients = append(c.Clients, one)
	}
	return c
}

func compare(host, client *Report) ClientConvergence {
	c := ClientConvergence{SenderID: client.SenderID, Name: client.Name}
	var truth *PeerReport
	for i := range host.Peers {
		if host.Peers[i].SenderID == client.SenderID {
			truth = &host.Peers[i]
		}
	}
	switch {
	case host.Role != Hosting.String():
		c.Problem = "the first report is not a host's"
	case client.Role != Joined.String():
		c.Problem = "the report is not a client's"
	case client.Epoch != host.Epoch:
		c.Problem = fmt.Sprintf("the reports are of different sessions: epoch %d here, %d at the host", client.Epoch, host.Epoch)
	case truth == nil:
		c.Problem = "the host's report does not know this client"
	}
	if c.Problem != "" {
		return c
	}
	must := make(map[uint32]uint64, len(truth.Hashes))
	for _, h := range truth.Hashes {
		must[h.Tick] = h.Hash
	}
	for _, h := range client.Hashes {
		want, ok := must[h.Tick]
		if !ok {
			continue
		}
		c.Compared++
		if want == h.Hash {
			continue
		}
		if c.Different++; c.Different == 1 {
			c.FirstTick, c.Host, c.Client = h.Tick, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", h.Hash)
		}
	}
	return c
}
