package runtime

import (
	"demi.network/contract"
	"demi.network/runtime/fault"
	"demi.network/runtime/world"
	"demi.network/session"
)

// use makes con the contract that rows and messages are read by, in an empty
// world, at its tick rate.
func (p *Peer) use(con *contract.Contract) {
	rate := con.Simulation.TickRate
	if rate <= 0 {
		rate = defaultTickRate
	}
	skipped := p.clock.skipped
	p.con, p.layout = con, world.NewLayout(con)
	p.world = world.New(p.layout)
	p.clock = newClock(p.now, rate)
	p.clock.skipped = skipped
}

// bare says that this peer was made without a contract, and is given its
// host's.
func (p *Peer) bare() bool { return p.cfg.Contract == nil }

// document takes the contract that a host gives to an observer without one. A
// contract that does not load here ends the session with fault.Config.
func (p *Peer) document(ev *session.Event) {
	con, problems := contract.LoadText("the host's contract", []byte(ev.Text))
	if err := problems.Err(); err != nil {
		p.cli.sess.Leave(p.now, fault.Config, "the host's contract does not load here: "+err.Error())
		return
	}
	p.use(con)
	p.log.messages = nil // counted by another contract's numbers
	c := newClient(p.cli.sess, p.cli.link, p.layout, p.world, p.cfg.FirstTick)
	c.stats = p.cli.stats
	p.cli = c
	p.cli.sess.Adopt(p.now, con, p.layout, p.world)
}
