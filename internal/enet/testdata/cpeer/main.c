/* A peer made of the system's C ENet library, for interop_test.go.
 *
 *   cpeer server [checksum] [compress]        echoes every packet; prints "port N" first
 *   cpeer client PORT [checksum] [compress]   sends packets of all kinds and sizes, expects each
 *                                             back, leaves with data 77 and prints "ok N"
 *
 * Every byte of a packet follows from its length and its place. */
#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checksum, compress;

static void fail(const char *why) {
    printf("failed: %s\n", why);
    exit(1);
}

static ENetHost *host(const ENetAddress *at, size_t peers) {
    ENetHost *h = enet_host_create(at, peers, 4, 0, 0);
    if (!h) fail("enet_host_create");
    if (checksum) h->checksum = enet_crc32;
    if (compress && enet_host_compress_with_range_coder(h) < 0) fail("range coder");
    return h;
}

static enet_uint8 byte_at(size_t length, size_t i) { return (enet_uint8)(length * 7 + i * 13 + i / 251); }

static int intact(const ENetPacket *p) {
    for (size_t i = 0; i < p->dataLength; ++i)
        if (p->data[i] != byte_at(p->dataLength, i)) return 0;
    return 1;
}

static void serve(void) {
    ENetAddress a;
    ENetEvent e;
    enet_address_set_host(&a, "127.0.0.1");
    a.port = 0;
    ENetHost *h = host(&a, 8);
    printf("port %u\n", h->address.port);
    unsigned packets = 0, bad = 0;
    for (;;) {
        if (enet_host_service(h, &e, 20000) <= 0) fail("nothing for 20 s");
        switch (e.type) {
        case ENET_EVENT_TYPE_CONNECT:
            printf("connect %u\n", e.data);
            break;
        case ENET_EVENT_TYPE_RECEIVE:
            packets++;
            bad += !intact(e.packet);
            enet_peer_send(e.peer, e.channelID, enet_packet_create(e.packet->data, e.packet->dataLength, e.packet->flags));
            enet_packet_destroy(e.packet);
            break;
        case ENET_EVENT_TYPE_DISCONNECT:
            printf("disconnect %u after %u packets, %u bad\n", e.data, packets, bad);
            enet_host_flush(h);
            exit(0);
        default:
            break;
        }
    }
}

static void visit(int port) {
    static const size_t sizes[] = { 1, 8, 100, 1000, 1364, 1365, 3000, 20000, 100000, 0 };
    static const enet_uint32 flags[] = { ENET_PACKET_FLAG_RELIABLE, 0, ENET_PACKET_FLAG_UNSEQUENCED, ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT };
    ENetAddress a;
    ENetEvent e;
    enet_address_set_host(&a, "127.0.0.1");
    a.port = (enet_uint16)port;
    ENetHost *h = host(NULL, 1);
    ENetPeer *p = enet_host_connect(h, &a, 4, 0x444E0001);
    if (!p || enet_host_service(h, &e, 5000) <= 0 || e.type != ENET_EVENT_TYPE_CONNECT) fail("no connection");
    enet_peer_throttle_configure(p, 5000, 2, 0);
    unsigned echoes = 0;
    for (size_t f = 0; f < sizeof flags / sizeof *flags; ++f)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            /* libenet's range coder cannot carry an empty packet */
            if (compress && !sizes[s]) continue;
            ENetPacket *k = enet_packet_create(NULL, sizes[s], flags[f]);
            for (size_t i = 0; i < sizes[s]; ++i) k->data[i] = byte_at(sizes[s], i);
            if (enet_peer_send(p, (enet_uint8)(f % 4), k) < 0) fail("send");
            for (;;) {
                if (enet_host_service(h, &e, 5000) <= 0) fail("no echo");
                if (e.type == ENET_EVENT_TYPE_DISCONNECT) fail("disconnected");
                if (e.type != ENET_EVENT_TYPE_RECEIVE) continue;
                if (e.packet->dataLength != sizes[s] || e.channelID != f % 4 || !intact(e.packet)) fail("another packet came back");
                enet_packet_destroy(e.packet);
                echoes++;
                break;
            }
        }
    enet_peer_disconnect_later(p, 77);
    if (enet_host_service(h, &e, 5000) <= 0 || e.type != ENET_EVENT_TYPE_DISCONNECT) fail("the goodbye was not answered");
    printf("ok %u\n", echoes);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; ++i) {
        checksum |= !strcmp(argv[i], "checksum");
        compress |= !strcmp(argv[i], "compress");
    }
    if (enet_initialize()) fail("enet_initialize");
    if (argc > 1 && !strcmp(argv[1], "server")) serve();
    else if (argc > 2 && !strcmp(argv[1], "client")) visit(atoi(argv[2]));
    else fail("usage");
    return 0;
}
