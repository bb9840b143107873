/* enetbench: loopback benchmark of the system's C ENet library.
 *
 * One JSON object per line on stdout, one line per (scenario, role).
 * Scenarios: flood (one client -> server), clients (N clients, both ways,
 * fixed rate), pingpong (one message in flight).
 * Roles: both (fork: the child is the client side), server, client.  With
 * --role server / --role client either side can be replaced by another
 * implementation of the ENet protocol; see README.md for the tiny
 * application protocol both sides follow.
 */
#define _GNU_SOURCE
#include <enet/enet.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SC_FLOOD = 1, SC_CLIENTS = 2, SC_PINGPONG = 3 };
enum { MSG_DATA = 'D', MSG_END = 'E', MSG_DONE = 'F', MSG_ECHO = 'P' };

static struct opts {
    const char *scenario, *role, *addr, *loop, *label;
    int port, reliable, throttle, clients, hz, size, sndq, mtu, spin, stats, checksum, compress;
    long count;
    double seconds, warmup;
} o = { .scenario = "all", .role = "both", .addr = "127.0.0.1", .loop = "event",
        .label = "c-enet", .port = 0, .reliable = 0, .throttle = 1, .clients = 64,
        .hz = 30, .size = 64, .sndq = 4096, .mtu = 0, .spin = 0, .stats = 0,
        .count = 1000000, .seconds = 10, .warmup = 1 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double cpu(void) {                         /* user + system, this process */
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6 +
           r.ru_stime.tv_sec + r.ru_stime.tv_usec * 1e-6;
}

/* busy seconds of the whole machine so far (all CPUs, not idle or iowait) */
static double machine_busy(void) {
    unsigned long long v[8] = { 0 };
    FILE *f = fopen("/proc/stat", "r");
    if (!f) return 0;
    int n = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7);
    fclose(f);
    return n == 8 ? (double)(v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / sysconf(_SC_CLK_TCK) : 0;
}

static double cpu_children(void) {
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6 + r.ru_stime.tv_sec + r.ru_stime.tv_usec * 1e-6;
}

static void die(const char *m) { fprintf(stderr, "enetbench: %s (%s)\n", m, strerror(errno)); exit(1); }

static const char *impl(void) {
    static char b[64];
    ENetVersion v = enet_linked_version();
    snprintf(b, sizeof b, "%s-%d.%d.%d", o.label, ENET_VERSION_GET_MAJOR(v),
             ENET_VERSION_GET_MINOR(v), ENET_VERSION_GET_PATCH(v));
    return b;
}

static int cmpd(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static ENetHost *mkhost(const ENetAddress *a, size_t peers) {
    ENetHost *h = enet_host_create(a, peers, 2, 0, 0);
    if (!h) die("enet_host_create");
    if (o.mtu) h->mtu = o.mtu;
    if (o.checksum) h->checksum = enet_crc32;
    if (o.compress) enet_host_compress_with_range_coder(h);
    return h;
}

static void peer_setup(ENetPeer *p) {
    /* deceleration 0: the packet throttle can no longer fall below 32/32 */
    if (!o.throttle) enet_peer_throttle_configure(p, 5000, 2, 0);
}

static ENetPeer *dial(ENetHost *h, int port, int sc) {
    ENetAddress a;
    ENetEvent e;
    enet_address_set_host(&a, o.addr);
    a.port = port;
    ENetPeer *p = enet_host_connect(h, &a, 2, sc);
    if (!p) die("connect");
    double t = now();
    while (now() - t < 5)
        if (enet_host_service(h, &e, 100) > 0 && e.type == ENET_EVENT_TYPE_CONNECT) {
            peer_setup(p);
            return p;
        }
    die("no connection in 5 s");
    return NULL;
}

static void hangup(ENetHost *h, ENetPeer *p) {
    ENetEvent e;
    enet_peer_disconnect(p, 0);
    double t = now();
    while (now() - t < 1)
        if (enet_host_service(h, &e, 50) > 0) {
            if (e.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(e.packet);
            else if (e.type == ENET_EVENT_TYPE_DISCONNECT) break;
        }
    enet_host_destroy(h);
}

/* ------------------------------------------------------------------ flood */

static long outstanding;                           /* packets ENet still holds */
static void ENET_CALLBACK freed(ENetPacket *p) { (void)p; --outstanding; }

static void flood_server(ENetHost *h) {
    ENetEvent e;
    long got = 0, sent = -1;
    double t0 = 0, t1 = 0, c0 = 0, c1 = 0;
    for (;;) {
        int r = enet_host_service(h, &e, o.spin ? 0 : 1000);
        if (r < 0) continue;
        if (r == 0) { if (t0 && !o.spin && now() - t1 > 20) die("flood server stalled"); continue; }
        if (e.type == ENET_EVENT_TYPE_CONNECT) { peer_setup(e.peer); continue; }
        if (e.type == ENET_EVENT_TYPE_DISCONNECT) break;
        uint8_t k = e.packet->dataLength ? e.packet->data[0] : 0;
        if (k == MSG_DATA) {
            if (!got++) { t0 = now(); c0 = cpu(); }
            if ((got & 15) == 0) t1 = now();
        } else if (k == MSG_END) {
            if (!t1) t1 = now();
            c1 = cpu();
            memcpy(&sent, e.packet->data + 8, 8);
            uint8_t m[8] = { MSG_DONE };
            enet_peer_send(e.peer, 1, enet_packet_create(m, 8, ENET_PACKET_FLAG_RELIABLE));
            enet_host_flush(h);
        }
        enet_packet_destroy(e.packet);
    }
    double dt = t1 - t0, dc = c1 - c0;
    printf("{\"impl\":\"%s\",\"scenario\":\"flood\",\"role\":\"server\",\"reliable\":%s,\"throttle\":%s,"
           "\"size\":%d,\"sent\":%ld,\"received\":%ld,\"loss_pct\":%.2f,\"seconds\":%.4f,"
           "\"msgs_per_s\":%.0f,\"mbytes_per_s\":%.1f,\"cpu_s\":%.4f,\"cpu_s_per_million\":%.4f}\n",
           impl(), o.reliable ? "true" : "false", o.throttle ? "true" : "false", o.size, sent, got,
           sent > 0 ? 100.0 * (sent - got) / sent : 0.0, dt, got / dt,
           got / dt * o.size / 1e6, dc, dc / got * 1e6);
    fflush(stdout);
}

static void flood_client(int port) {
    ENetHost *h = mkhost(NULL, 1);
    ENetPeer *p = dial(h, port, SC_FLOOD);
    ENetEvent e;
    uint8_t *buf = calloc(1, o.size + 16);
    buf[0] = MSG_DATA;
    long i = 0;
    int done = 0;
    double t0 = now(), c0 = cpu();
    while (i < o.count) {
        /* queue one batch, then let ENet put it on the wire */
        int b = 0;
        for (; b < 256 && i < o.count && (!o.reliable || outstanding < o.sndq); ++b, ++i) {
            ENetPacket *k = enet_packet_create(buf, o.size, o.reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
            k->freeCallback = freed;
            ++outstanding;
            if (enet_peer_send(p, 0, k) < 0) die("send");
        }
        if (enet_host_service(h, &e, b || o.spin ? 0 : 1) > 0) {
            if (e.type == ENET_EVENT_TYPE_DISCONNECT) die("flood client disconnected");
            if (e.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(e.packet);
        }
    }
    while (o.reliable && outstanding > 0)
        if (enet_host_service(h, &e, o.spin ? 0 : 1) > 0 && e.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(e.packet);
    double t1 = now(), c1 = cpu();
    /* an END message, reliable, on the other channel */
    memset(buf, 0, 16);
    buf[0] = MSG_END;
    memcpy(buf + 8, &i, 8);
    usleep(20000);
    enet_peer_send(p, 1, enet_packet_create(buf, 16, ENET_PACKET_FLAG_RELIABLE));
    double t = now();
    while (!done && now() - t < 20)
        if (enet_host_service(h, &e, 10) > 0) {
            if (e.type == ENET_EVENT_TYPE_RECEIVE) { done = e.packet->data[0] == MSG_DONE; enet_packet_destroy(e.packet); }
            else if (e.type == ENET_EVENT_TYPE_DISCONNECT) die("lost server at end");
        }
    printf("{\"impl\":\"%s\",\"scenario\":\"flood\",\"role\":\"client\",\"reliable\":%s,\"throttle\":%s,"
           "\"size\":%d,\"sent\":%ld,\"seconds\":%.4f,\"msgs_per_s\":%.0f,\"cpu_s\":%.4f,"
           "\"cpu_s_per_million\":%.4f,\"datagrams\":%u,\"msgs_per_datagram\":%.1f,\"packet_throttle\":%u,\"rtt_ms\":%u}\n",
           impl(), o.reliable ? "true" : "false", o.throttle ? "true" : "false", o.size, i, t1 - t0,
           i / (t1 - t0), c1 - c0, (c1 - c0) / i * 1e6, h->totalSentPackets,
           (double)i / h->totalSentPackets, p->packetThrottle, p->roundTripTime);
    fflush(stdout);
    free(buf);
    hangup(h, p);
}

/* ---------------------------------------------------------------- clients */

static void clients_server(ENetHost *h) {
    ENetEvent e;
    uint8_t *buf = calloc(1, o.size + 16);
    buf[0] = MSG_DATA;
    int conn = 0, tick_loop = !strcmp(o.loop, "tick");
    long rx = 0, tx = 0, services = 0;
    double period = 1.0 / o.hz, t0 = 0, c0 = 0, next = now() + period, start = 0;
    uint32_t d0 = 0, d1 = 0, b0 = 0, b1 = 0;
    for (;;) {
        double n = now();
        if (n >= next) {                           /* one tick: one message to every peer */
            for (size_t i = 0; i < h->peerCount; ++i)
                if (h->peers[i].state == ENET_PEER_STATE_CONNECTED) {
                    enet_peer_send(&h->peers[i], 0, enet_packet_create(buf, o.size, o.reliable ? ENET_PACKET_FLAG_RELIABLE : 0));
                    tx++;
                }
            enet_host_flush(h);
            next += period;
            if (next < n) next = n + period;
            if (start && !t0 && n - start > o.warmup) {
                t0 = n; c0 = cpu(); rx = tx = services = 0;
                d0 = h->totalReceivedPackets; d1 = h->totalSentPackets; b0 = h->totalReceivedData; b1 = h->totalSentData;
            }
            if (t0 && n - t0 >= o.seconds) break;
        }
        double wait = (next - now()) * 1000;
        if (tick_loop && wait > 0) {
            struct timespec s = { 0, (long)(wait * 1e6) };
            nanosleep(&s, NULL);
            wait = 0;
        }
        int r = enet_host_service(h, &e, wait > 0 ? (uint32_t)wait : 0);
        services++;
        if (r == 0 && wait > 0 && wait < 1) {      /* ENet waits whole ms: sleep the rest */
            struct timespec s = { 0, (long)(wait * 1e6) };
            nanosleep(&s, NULL);
        }
        while (r > 0) {
            if (e.type == ENET_EVENT_TYPE_CONNECT) { peer_setup(e.peer); if (++conn == o.clients) start = now(); }
            else if (e.type == ENET_EVENT_TYPE_DISCONNECT) conn--;
            else { rx++; enet_packet_destroy(e.packet); }
            r = tick_loop ? enet_host_service(h, &e, 0) : enet_host_check_events(h, &e);
        }
    }
    double dt = now() - t0, dc = cpu() - c0;
    printf("{\"impl\":\"%s\",\"scenario\":\"clients\",\"role\":\"server\",\"loop\":\"%s\",\"reliable\":%s,\"clients\":%d,\"hz\":%d,"
           "\"size\":%d,\"seconds\":%.2f,\"rx_msgs\":%ld,\"tx_msgs\":%ld,\"rx_expected\":%.0f,"
           "\"rx_datagrams\":%u,\"tx_datagrams\":%u,\"rx_bytes\":%u,\"tx_bytes\":%u,\"service_calls\":%ld,"
           "\"cpu_s\":%.4f,\"cpu_ms_per_s\":%.3f,\"cpu_us_per_msg\":%.3f}\n",
           impl(), o.loop, o.reliable ? "true" : "false", o.clients, o.hz, o.size, dt, rx, tx,
           dt * o.hz * o.clients, h->totalReceivedPackets - d0, h->totalSentPackets - d1,
           h->totalReceivedData - b0, h->totalSentData - b1, services, dc, dc / dt * 1000,
           dc / (rx + tx) * 1e6);
    fflush(stdout);
    for (size_t i = 0; i < h->peerCount; ++i) enet_peer_disconnect_now(&h->peers[i], 0);
    free(buf);
}

static void clients_client(int port) {
    int n = o.clients, gone = 0;
    ENetHost **h = calloc(n, sizeof *h);
    ENetPeer **p = calloc(n, sizeof *p);
    double *next = calloc(n, sizeof *next), period = 1.0 / o.hz;
    uint8_t *buf = calloc(1, o.size + 16);
    buf[0] = MSG_DATA;
    long rx = 0, tx = 0;
    for (int i = 0; i < n; ++i) { h[i] = mkhost(NULL, 1); p[i] = dial(h[i], port, SC_CLIENTS); }
    double t0 = now(), c0 = cpu();
    for (int i = 0; i < n; ++i) next[i] = t0 + period * i / n;      /* spread over one period */
    while (!gone) {
        double t = now();
        for (int i = 0; i < n && !gone; ++i) {
            ENetEvent e;
            if (t >= next[i]) {
                enet_peer_send(p[i], 0, enet_packet_create(buf, o.size, o.reliable ? ENET_PACKET_FLAG_RELIABLE : 0));
                next[i] += period;
                if (next[i] < t) next[i] = t + period;
                tx++;
            }
            while (enet_host_service(h[i], &e, 0) > 0) {
                if (e.type == ENET_EVENT_TYPE_RECEIVE) { rx++; enet_packet_destroy(e.packet); }
                else if (e.type == ENET_EVENT_TYPE_DISCONNECT) { gone = 1; break; }
            }
        }
        usleep(2000);
        if (now() - t0 > o.warmup + o.seconds + 30) die("clients: no end");
    }
    double dt = now() - t0;
    printf("{\"impl\":\"%s\",\"scenario\":\"clients\",\"role\":\"client\",\"clients\":%d,\"hz\":%d,\"size\":%d,"
           "\"seconds\":%.2f,\"rx_msgs\":%ld,\"tx_msgs\":%ld,\"cpu_s\":%.4f}\n",
           impl(), n, o.hz, o.size, dt, rx, tx, cpu() - c0);
    fflush(stdout);
    for (int i = 0; i < n; ++i) enet_host_destroy(h[i]);
    free(h); free(p); free(next); free(buf);
}

/* --------------------------------------------------------------- pingpong */

static void pingpong_server(ENetHost *h) {
    ENetEvent e;
    long n = 0;
    double c0 = 0, t0 = 0;
    for (;;) {
        if (enet_host_service(h, &e, o.spin ? 0 : 1000) <= 0) continue;
        if (e.type == ENET_EVENT_TYPE_CONNECT) { peer_setup(e.peer); continue; }
        if (e.type == ENET_EVENT_TYPE_DISCONNECT) break;
        if (!n++) { c0 = cpu(); t0 = now(); }
        ENetPacket *k = enet_packet_create(e.packet->data, e.packet->dataLength, o.reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
        enet_packet_destroy(e.packet);
        enet_peer_send(e.peer, 0, k);
        enet_host_flush(h);
    }
    double dc = cpu() - c0;
    printf("{\"impl\":\"%s\",\"scenario\":\"pingpong\",\"role\":\"server\",\"reliable\":%s,\"size\":%d,\"messages\":%ld,"
           "\"seconds\":%.3f,\"cpu_s\":%.4f,\"cpu_us_per_msg\":%.3f}\n",
           impl(), o.reliable ? "true" : "false", o.size, n, now() - t0, dc, dc / n * 1e6);
    fflush(stdout);
}

static void pingpong_client(int port) {
    ENetHost *h = mkhost(NULL, 1);
    ENetPeer *p = dial(h, port, SC_PINGPONG);
    ENetEvent e;
    long n = o.count, lost = 0, warm = n / 10;
    double *rtt = calloc(n, sizeof *rtt);
    uint8_t *buf = calloc(1, o.size + 16);
    buf[0] = MSG_ECHO;
    double c0 = 0;
    for (long i = -warm; i < n; ++i) {
        if (i == 0) c0 = cpu();
        double t = now();
        int ok = 0;
        memcpy(buf + 8, &i, 8);
        enet_peer_send(p, 0, enet_packet_create(buf, o.size < 16 ? 16 : o.size, o.reliable ? ENET_PACKET_FLAG_RELIABLE : 0));
        enet_host_flush(h);
        while (!ok && now() - t < 1) {
            if (enet_host_service(h, &e, o.spin ? 0 : 100) <= 0) continue;
            if (e.type == ENET_EVENT_TYPE_DISCONNECT) die("pingpong lost server");
            if (e.type == ENET_EVENT_TYPE_RECEIVE) { ok = !memcmp(e.packet->data + 8, &i, 8); enet_packet_destroy(e.packet); }
        }
        if (!ok) lost++;
        if (i >= 0) rtt[i] = (now() - t) * 1e6;
    }
    double dc = cpu() - c0, sum = 0;
    qsort(rtt, n, sizeof *rtt, cmpd);
    for (long i = 0; i < n; ++i) sum += rtt[i];
    printf("{\"impl\":\"%s\",\"scenario\":\"pingpong\",\"role\":\"client\",\"reliable\":%s,\"spin\":%s,\"size\":%d,\"messages\":%ld,"
           "\"lost\":%ld,\"rtt_us_min\":%.1f,\"rtt_us_p50\":%.1f,\"rtt_us_p90\":%.1f,\"rtt_us_p99\":%.1f,\"rtt_us_p999\":%.1f,"
           "\"rtt_us_max\":%.1f,\"rtt_us_mean\":%.1f,\"cpu_us_per_msg\":%.3f}\n",
           impl(), o.reliable ? "true" : "false", o.spin ? "true" : "false", o.size, n, lost, rtt[0], rtt[n / 2], rtt[n * 9 / 10],
           rtt[n * 99 / 100], rtt[n * 999 / 1000], rtt[n - 1], sum / n, dc / n * 1e6);
    fflush(stdout);
    free(rtt); free(buf);
    hangup(h, p);
}

/* ------------------------------------------------------------------- main */

static void serve(ENetHost *h, int sc) {
    if (sc == SC_FLOOD) flood_server(h);
    else if (sc == SC_CLIENTS) clients_server(h);
    else pingpong_server(h);
    enet_host_destroy(h);
}

static void call(int port, int sc) {
    if (sc == SC_FLOOD) flood_client(port);
    else if (sc == SC_CLIENTS) clients_client(port);
    else pingpong_client(port);
}

static void run(int sc) {
    ENetHost *h = NULL;
    int port = o.port, cl = strcmp(o.role, "server") != 0, sv = strcmp(o.role, "client") != 0;
    if (sv) {
        ENetAddress a;
        enet_address_set_host(&a, o.addr);
        a.port = port;
        h = mkhost(&a, sc == SC_CLIENTS ? o.clients : 4);
        port = h->address.port;
        if (!cl) fprintf(stderr, "listening on %s:%d\n", o.addr, port);
    }
    if (sv && cl) {
        fflush(stdout);
        double t0 = now(), b0 = machine_busy(), m0 = cpu() + cpu_children();
        pid_t pid = fork();
        if (pid < 0) die("fork");
        if (pid == 0) { close(h->socket); call(port, sc); exit(0); }
        serve(h, sc);
        int st;
        waitpid(pid, &st, 0);
        if (!WIFEXITED(st) || WEXITSTATUS(st)) die("the client side failed");
        /* CPUs that something else kept busy meanwhile: over about 0.1 the run is noisy */
        double dt = now() - t0, bg = (machine_busy() - b0 - (cpu() + cpu_children() - m0)) / dt;
        printf("{\"impl\":\"%s\",\"scenario\":\"noise\",\"of\":%d,\"seconds\":%.2f,\"background_cpus\":%.2f,\"cpus\":%ld}\n",
               impl(), sc, dt, bg < 0 ? 0 : bg, sysconf(_SC_NPROCESSORS_ONLN));
        fflush(stdout);
    } else if (sv) serve(h, sc);
    else call(port, sc);
}

static void usage(void) {
    puts("enetbench [--scenario flood|clients|pingpong|all] [--role both|server|client]\n"
         "  --addr IP (127.0.0.1)  --port N (0: any; needed for --role client)\n"
         "  --reliable 0|1 (0)     --throttle 0|1 (1: ENet's default packet throttle)\n"
         "  --size BYTES (64)      --count MESSAGES (1000000; pingpong: 20000 under all)\n"
         "  --clients N (64)       --hz N (30)   --seconds S (10)   --warmup S (1)\n"
         "  --loop event|tick (event: wake per datagram; tick: service once per tick)\n"
         "  --sndq N (4096: reliable messages the flood client keeps queued)\n"
         "  --spin 0|1 (0: sleep in the socket wait; 1: busy poll)   --mtu N (library default)\n"
         "  --checksum 0|1 (0)     --compress 0|1 (0: the range coder)\n"
         "  --label TEXT (c-enet)");
    exit(2);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc) usage();
        const char *k = argv[i], *v = argv[i + 1];
        if (!strcmp(k, "--scenario")) o.scenario = v; else if (!strcmp(k, "--role")) o.role = v;
        else if (!strcmp(k, "--addr")) o.addr = v; else if (!strcmp(k, "--port")) o.port = atoi(v);
        else if (!strcmp(k, "--reliable")) o.reliable = atoi(v); else if (!strcmp(k, "--throttle")) o.throttle = atoi(v);
        else if (!strcmp(k, "--size")) o.size = atoi(v); else if (!strcmp(k, "--count")) o.count = atol(v);
        else if (!strcmp(k, "--clients")) o.clients = atoi(v); else if (!strcmp(k, "--hz")) o.hz = atoi(v);
        else if (!strcmp(k, "--seconds")) o.seconds = atof(v); else if (!strcmp(k, "--warmup")) o.warmup = atof(v);
        else if (!strcmp(k, "--loop")) o.loop = v; else if (!strcmp(k, "--sndq")) o.sndq = atoi(v);
        else if (!strcmp(k, "--spin")) o.spin = atoi(v); else if (!strcmp(k, "--mtu")) o.mtu = atoi(v);
        else if (!strcmp(k, "--checksum")) o.checksum = atoi(v); else if (!strcmp(k, "--compress")) o.compress = atoi(v);
        else if (!strcmp(k, "--label")) o.label = v;
        else usage();
    }
    if (enet_initialize()) die("enet_initialize");
    signal(SIGPIPE, SIG_IGN);
    if (!strcmp(o.scenario, "flood")) run(SC_FLOOD);
    else if (!strcmp(o.scenario, "clients")) run(SC_CLIENTS);
    else if (!strcmp(o.scenario, "pingpong")) run(SC_PINGPONG);
    else if (!strcmp(o.scenario, "all")) {
        int size = o.size;
        if (strcmp(o.role, "both")) usage();
        for (o.reliable = 0; o.reliable < 2; ++o.reliable) {
            o.throttle = 1; run(SC_FLOOD);
            if (!o.reliable) { o.throttle = 0; run(SC_FLOOD); }
        }
        o.throttle = 1; o.reliable = 0;
        o.size = 100;
        o.loop = "event"; run(SC_CLIENTS);
        o.loop = "tick"; run(SC_CLIENTS);
        o.size = size;
        o.count = 20000;
        for (o.reliable = 0; o.reliable < 2; ++o.reliable) run(SC_PINGPONG);
    } else usage();
    enet_deinitialize();
    return 0;
}
