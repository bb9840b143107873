package session

import "demi.network/runtime/transport"

// SwapHost and SwapClientHost change the transport of a session in the middle
// of it, for tests that measure the session alone.
func SwapHost(s *Server, h transport.Host) { s.host = h }

// SwapClientHost is SwapHost for a client.
func SwapClientHost(c *Client, h transport.Host) { c.host = h }
