package session

import "demi.network/runtime/transport"

// SwapHost and SwapClientHost change the transport of a session in the middle
// of it, for tests that measure the session alone.
func SwapHost(s *Server, h transport.Host) { s.host = h }

// SwapClientHost is SwapHost for a client.
func SwapClientHost(c *Client, h transport.Host) { c.host = h }

// Streams returns how many counted frames each side has sent and received.
func Streams(s *Server, c *Client) (hostSent, hostReceived, clientSent, clientReceived uint32) {
	p := s.peers.find(c.sender)
	return p.stream.sent, p.stream.received, c.stream.sent, c.stream.received
}
