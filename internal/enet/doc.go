// Package enet speaks ENet's protocol over any transport.Link: connections
// with ordered channels, reliable, sequenced and unsequenced messages. It is
// byte-compatible with the C library and owns its state machine; it carries
// bytes and never knows what a message means, who may send it, or how a
// datagram travels. It starts no goroutine and reads no clock.
//
// "wire.md § n" in comments is a chapter of docs/wire.md.
//
// # Where it differs from the C library
//
// On the wire, nothing: both sides understand each other in every option. What
// each side decides for itself is better where C's choice has done harm.
//
//   - Timeouts are looked at after the link was drained, so a host that slept
//     blames nobody whose acknowledgement is waiting.
//   - A peer that is heard but does not acknowledge is pinged again every
//     interval; its resends double up to four waits and no further; it is
//     given up after Timeouts.Maximum without an acknowledgement, or when one
//     command has not got through for twice that. Of a peer that is not heard
//     at all, sends and end come exactly when C's do.
//   - The acknowledgement of VERIFY_CONNECT is repeated before what is sent
//     until the host acknowledges something, and the handshake gives a first
//     idea of the round trip: joins under loss take half as long.
//   - It must quote a sent time of that very VERIFY_CONNECT. Sent times have a
//     secret origin for each connection, so only who receives at an address can
//     do so.
//   - A complete handshake ends older connections with the same slot of the
//     same address, as timed out; what these still send has other session bits.
//     A VERIFY_CONNECT with another connect id is ignored: it answers an
//     earlier dial of the slot.
//   - Round trips are estimated in microseconds, and a resend waits at least
//     8 ms longer than one. Round trips that vary by less than Throttle.Slack
//     do not move the throttle.
//   - Fragments must tile their message; one that was kept is acknowledged
//     whatever its window. Memory grows with what arrived, not with what was
//     announced, within the limits of Limits.
//   - What was complete before a DISCONNECT is delivered before the event.
//     Unsequenced messages wait for nothing.
//   - Who has not proved his address is limited by Handshakes and costs no
//     connection. A peer id of 0xFFF is refused, session ids are masked.
//   - BANDWIDTH_LIMIT is sent when there is a limit, or was one.
//   - Datagrams with an empty message are not compressed: libenet cannot pack
//     one, and a relay must not learn it from us.
package enet
