package transport

import (
	"net"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// family converts addresses between netip and the kernel's form, for sockets
// of one address family.
type family struct {
	v4    bool // an AF_INET socket
	zones map[uint32]string
}

// decode reads a socket address; ports are in network order whatever the
// machine's is.
func (f *family) decode(sa *unix.RawSockaddrInet6) netip.AddrPort {
	if sa.Family == unix.AF_INET {
		sa4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		return netip.AddrPortFrom(netip.AddrFrom4(sa4.Addr), swapped(sa4.Port))
	}
	a := netip.AddrFrom16(sa.Addr).Unmap()
	if sa.Scope_id != 0 && a.Is6() {
		a = a.WithZone(f.zone(sa.Scope_id))
	}
	return netip.AddrPortFrom(a, swapped(sa.Port))
}

// swapped reads a port that lies in memory in network order.
func swapped(port uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(&port))
	return uint16(b[0])<<8 | uint16(b[1])
}

// zone returns the name of a network interface by number. There are as many
// as the machine has interfaces.
func (f *family) zone(id uint32) string {
	name, ok := f.zones[id]
	if !ok {
		name = strconv.FormatUint(uint64(id), 10)
		if ifc, err := net.InterfaceByIndex(int(id)); err == nil {
			name = ifc.Name
		}
		f.zones[id] = name
	}
	return name
}

// scope returns the number of a zone, or 0 when there is none.
func (f *family) scope(zone string) uint32 {
	if zone == "" {
		return 0
	}
	for id, name := range f.zones { // names are unique: order does not matter
		if name == zone {
			return id
		}
	}
	if ifc, err := net.InterfaceByName(zone); err == nil {
		return uint32(ifc.Index)
	}
	n, _ := strconv.ParseUint(zone, 10, 32)
	return uint32(n)
}

// canonical spells the zone of a as datagrams from there will.
func (f *family) canonical(a netip.AddrPort) netip.AddrPort {
	if id := f.scope(a.Addr().Zone()); id != 0 {
		return netip.AddrPortFrom(a.Addr().WithZone(f.zone(id)), a.Port())
	}
	return a
}

// encode writes a socket address of the socket's family and returns its
// length. An IPv6 address on an IPv4 socket becomes one the kernel refuses.
func (f *family) encode(sa *unix.RawSockaddrInet6, to netip.AddrPort) uint32 {
	if f.v4 {
		sa4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		*sa4 = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapped(to.Port())}
		if !to.Addr().Is4() {
			sa4.Family = unix.AF_INET6
			return unix.SizeofSockaddrInet4
		}
		sa4.Addr = to.Addr().As4()
		return unix.SizeofSockaddrInet4
	}
	*sa = unix.RawSockaddrInet6{
		Family: unix.AF_INET6, Port: swapped(to.Port()),
		Addr: to.Addr().As16(), Scope_id: f.scope(to.Addr().Zone()),
	}
	return unix.SizeofSockaddrInet6
}
