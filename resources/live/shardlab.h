/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a program that is no Shardlab run on Shardlab's timeline while it runs. One file, C99 and POSIX, nothing to
   link.

       struct shardlab *live = shardlab_connect(NULL, NULL, "my program", rank, world);   // NULL: from the environment
       shardlab_step_begin(live, step);
       int64_t begin = shardlab_now();
       ...
       shardlab_action(live, SHARDLAB_F, stage, microbatch, begin, shardlab_now());
       shardlab_span(live, SHARDLAB_COMM, "all_reduce", bytes, begin, shardlab_now());
       shardlab_counter(live, "loss", value);
       shardlab_step_end(live);
       shardlab_close(live, 2000);

   `shardlab listen --no-tls` prints what the environment has to hold: SHARDLAB_ADDRESS (HOST:PORT) and
   SHARDLAB_TOKEN_FILE, or SHARDLAB_TOKEN. The file is read again for each connection, since a listener that is started
   anew writes another token there. TLS is not spoken here: a token that asks for it is shown to nobody.

   No call waits for the network but shardlab_connect, which looks up the host's name, and shardlab_close, which has a
   limit. Events go into a queue of fixed size and are sent now and then from within the calls; where it is full they
   are dropped, counted, and the count is shown. A lost connection is taken up again where it broke. Every function
   takes NULL and does nothing then, which is what shardlab_connect returns where nobody listens. One thread at a time
   may use a struct shardlab. */
#ifndef SHARDLAB_H
#define SHARDLAB_H

#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && !defined(__cplusplus)
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Of shardlab_action: forward, backward, input gradient, weight gradient, recomputation, optimizer
 * (resources/manual/72-links.md). */
enum shardlab_kind {
    SHARDLAB_F = 1,
    SHARDLAB_B = 2,
    SHARDLAB_I = 3,
    SHARDLAB_W = 4,
    SHARDLAB_R = 5,
    SHARDLAB_OPTIMIZER = 12
};
/* Of shardlab_span. */
enum shardlab_lane { SHARDLAB_COMPUTE = 0, SHARDLAB_COMM = 1, SHARDLAB_COPY = 2, SHARDLAB_HOST = 3 };

enum {
    SHARDLAB_QUEUE_ = 1 << 15, /* events */
    SHARDLAB_NAMES_ = 1024,
    SHARDLAB_RECORD_ = 52,
    SHARDLAB_AT_ONCE_ = 1024,
    SHARDLAB_OUT_ = 1 << 17
};
#define SHARDLAB_RETRY_ 500000000LL     /* ns between two attempts to connect */
#define SHARDLAB_PATIENCE_ 5000000000LL /* ns for a connection and its welcome */
#define SHARDLAB_EVERY_ 20000000LL      /* ns between two looks at the connection */

struct shardlab {
    int socket, state; /* state: 0 down, 1 connecting, 2 greeted, 3 open, 4 refused */
    int rank, world;
    int64_t started, attempted, looked, step_begin;
    int32_t step;
    uint64_t caller, first, taken, sent, dropped, told; /* events; `first` is the queue's oldest */
    size_t count, names, named, out_size, out_sent, in_size;
    struct sockaddr_storage place;
    socklen_t place_size;
    char token[256], token_file[1024], program[256], host[256], clock[64]; /* token_file: empty for a given token */
    char* name[SHARDLAB_NAMES_];
    unsigned char out[SHARDLAB_OUT_], in[8192];
    unsigned char queue[SHARDLAB_QUEUE_][SHARDLAB_RECORD_]; /* a ring: event n lies at n modulo its size */
};

static int64_t shardlab_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t shardlab_crc32c_(const unsigned char* data, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    size_t i;
    int bit;
    for (i = 0; i < size; ++i) {
        crc ^= data[i];
        for (bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

static unsigned char* shardlab_number_(unsigned char* at, uint64_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) *at++ = (unsigned char)value;
    return at;
}

static unsigned char* shardlab_text_(unsigned char* at, const char* text) {
    const size_t size = strlen(text);
    size_t left = size;
    for (; left >= 0x80; left >>= 7) *at++ = (unsigned char)(left | 0x80);
    *at++ = (unsigned char)left;
    memcpy(at, text, size);
    return at + size;
}

/* Ends the frame whose type was written at `begin` + 8. */
static void shardlab_frame_(struct shardlab* s, unsigned char* begin, const unsigned char* end) {
    const size_t size = (size_t)(end - begin) - 8;
    shardlab_number_(begin, size, 4);
    shardlab_number_(begin + 4, shardlab_crc32c_(begin + 8, size), 4);
    s->out_size = (size_t)(end - s->out);
}

static void shardlab_down_(struct shardlab* s) {
    if (s->socket >= 0) close(s->socket);
    s->socket = -1;
    if (s->state != 4) s->state = 0;
    s->out_size = s->out_sent = s->in_size = s->named = 0;
    s->told = 0;
}

static void shardlab_line_(const char* path, char* line, size_t size) {
    FILE* file = path ? fopen(path, "r") : NULL;
    line[0] = 0;
    if (file == NULL) return;
    if (fgets(line, (int)size, file) == NULL) line[0] = 0;
    line[strcspn(line, "\r\n")] = 0;
    fclose(file);
}

/* Whether the token is another one than before. While no listener has the file, it is what was read last. */
static int shardlab_token_(struct shardlab* s) {
    char now[sizeof s->token];
    shardlab_line_(s->token_file, now, sizeof now);
    if (now[0] == 0 || strcmp(now, s->token) == 0) return 0;
    strcpy(s->token, now);
    return 1;
}

static void shardlab_begin_(struct shardlab* s) {
    s->attempted = shardlab_now();
    s->socket = socket(s->place.ss_family, SOCK_STREAM, 0);
    if (s->socket < 0) return;
    fcntl(s->socket, F_SETFD, FD_CLOEXEC);
    fcntl(s->socket, F_SETFL, O_NONBLOCK);
    if (connect(s->socket, (const struct sockaddr*)&s->place, s->place_size) != 0 && errno != EINPROGRESS)
        shardlab_down_(s);
    else s->state = 1;
}

static void shardlab_greet_(struct shardlab* s) {
    unsigned char* at = s->out + 8;
    shardlab_token_(s);
    if (strncmp(s->token, "tls", 3) == 0) {
        s->state = 4;
        shardlab_down_(s);
        return;
    }
    *at++ = 32;
    at = shardlab_number_(at, 1, 4);
    *at++ = 2;
    at = shardlab_number_(at, s->caller, 8);
    at = shardlab_text_(at, s->program);
    shardlab_frame_(s, s->out, shardlab_text_(at, s->token));
    s->state = 2;
}

static uint64_t shardlab_read_(const unsigned char* at, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | at[bytes];
    return value;
}

/* When the run begins for a listener with `taken` events: where it has not heard the first ones, with what is left. */
static int64_t shardlab_since_(const struct shardlab* s, uint64_t taken) {
    int64_t since = s->step < 0 ? shardlab_now() : s->step_begin;
    size_t i;
    if (taken >= s->first) return s->started;
    for (i = 0; i < s->count; ++i) {
        const int64_t begin = (int64_t)shardlab_read_(s->queue[(s->first + i) % SHARDLAB_QUEUE_], 8);
        if (begin < since) since = begin;
    }
    return since;
}

static void shardlab_join_(struct shardlab* s, uint64_t taken) {
    unsigned char *begin = s->out + s->out_size, *at = begin + 8;
    *at++ = 48;
    at = shardlab_number_(at, (uint32_t)s->rank, 4);
    at = shardlab_number_(at, (uint32_t)s->world, 4);
    at = shardlab_number_(at, (uint32_t)getpid(), 4);
    at = shardlab_number_(at, (uint64_t)shardlab_now(), 8);
    at = shardlab_number_(at, (uint64_t)shardlab_since_(s, taken), 8);
    at = shardlab_text_(at, s->clock);
    shardlab_frame_(s, begin, shardlab_text_(at, s->host));
    s->sent = s->taken > s->first ? s->taken : s->first;
    s->state = 3;
}

/* What fits of names and events, as frames. */
static void shardlab_fill_(struct shardlab* s) {
    while (s->named < s->names && s->out_size + 1024 < SHARDLAB_OUT_) {
        unsigned char *begin = s->out + s->out_size, *at = begin + 8;
        *at++ = 50;
        at = shardlab_number_(at, ++s->named, 4);
        shardlab_frame_(s, begin, shardlab_text_(at, s->name[s->named - 1]));
    }
    if (s->named < s->names) return;
    while (s->sent < s->first + s->count || s->dropped != s->told) {
        unsigned char *begin = s->out + s->out_size, *at = begin + 8;
        uint64_t count = s->first + s->count - s->sent, i;
        if (count > SHARDLAB_AT_ONCE_) count = SHARDLAB_AT_ONCE_;
        if (s->out_size + 64 + count * SHARDLAB_RECORD_ > SHARDLAB_OUT_) return;
        *at++ = 51;
        at = shardlab_number_(at, s->sent, 8);
        at = shardlab_number_(at, s->dropped, 8);
        at = shardlab_number_(at, count, 4);
        for (i = 0; i < count; ++i, at += SHARDLAB_RECORD_)
            memcpy(at, s->queue[(s->sent + i) % SHARDLAB_QUEUE_], SHARDLAB_RECORD_);
        shardlab_frame_(s, begin, at);
        s->sent += count;
        s->told = s->dropped;
    }
}

/* 0: the connection is at its end. */
static int shardlab_hear_(struct shardlab* s) {
    const ssize_t got = recv(s->socket, s->in + s->in_size, sizeof s->in - s->in_size, MSG_DONTWAIT);
    if (got == 0) return 0;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    s->in_size += (size_t)got;
    while (s->in_size >= 9) {
        const size_t size = (size_t)shardlab_read_(s->in, 4);
        if (size == 0 || size + 8 > sizeof s->in) return 0;
        if (s->in_size < size + 8) return 1;
        if (shardlab_crc32c_(s->in + 8, size) != shardlab_read_(s->in + 4, 4)) return 0;
        if (s->in[8] == 33) {
            s->state = shardlab_token_(s) ? 0 : 4; /* another token may be the right one */
            return 0;
        }
        if ((s->in[8] == 34 || s->in[8] == 49) && size >= 9) {
            const uint64_t taken = shardlab_read_(s->in + 9, 8);
            if (taken > s->first + s->count) return 0;
            if (taken > s->taken) s->taken = taken;
            if (s->taken > s->first) {
                s->count -= (size_t)(s->taken - s->first);
                s->first = s->taken;
            }
            if (s->in[8] == 34 && s->state == 2) shardlab_join_(s, taken);
        }
        s->in_size -= size + 8;
        memmove(s->in, s->in + size + 8, s->in_size);
    }
    return 1;
}

/* Does what can be done without waiting. */
static void shardlab_look_(struct shardlab* s) {
    const int64_t now = shardlab_now();
    s->looked = now;
    if (s->state == 4) return;
    if (s->state == 0 && now - s->attempted >= SHARDLAB_RETRY_) shardlab_begin_(s);
    if (s->state == 0) return;
    if (s->state < 3 && now - s->attempted > SHARDLAB_PATIENCE_) {
        shardlab_down_(s);
        return;
    }
    if (s->state == 1) {
        struct pollfd ready;
        int wrong = 0;
        socklen_t size = sizeof wrong;
        ready.fd = s->socket;
        ready.events = POLLOUT;
        if (poll(&ready, 1, 0) <= 0) return;
        if (getsockopt(s->socket, SOL_SOCKET, SO_ERROR, &wrong, &size) != 0 || wrong != 0) {
            shardlab_down_(s);
            return;
        }
        shardlab_greet_(s);
        if (s->state != 2) return;
    }
    if (!shardlab_hear_(s)) {
        shardlab_down_(s);
        return;
    }
    if (s->state == 3 && s->out_sent == s->out_size) {
        s->out_size = s->out_sent = 0;
        shardlab_fill_(s);
    }
    while (s->out_sent < s->out_size) {
        const ssize_t sent =
            send(s->socket, s->out + s->out_sent, s->out_size - s->out_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) shardlab_down_(s);
        if (sent <= 0) return;
        s->out_sent += (size_t)sent;
    }
}

static void shardlab_put_(struct shardlab* s, int kind, int lane, uint32_t name, int64_t begin, int64_t end,
                          int64_t bytes, double value, int stage, int microbatch) {
    if (s->count == SHARDLAB_QUEUE_) {
        ++s->dropped;
    } else {
        unsigned char* at = s->queue[(s->first + s->count++) % SHARDLAB_QUEUE_];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        at = shardlab_number_(at, (uint64_t)begin, 8);
        at = shardlab_number_(at, (uint64_t)end, 8);
        at = shardlab_number_(at, (uint64_t)bytes, 8);
        at = shardlab_number_(at, bits, 8);
        at = shardlab_number_(at, (uint32_t)s->step, 4);
        at = shardlab_number_(at, name, 4);
        at = shardlab_number_(at, (uint32_t)stage, 4);
        at = shardlab_number_(at, (uint32_t)microbatch, 4);
        *at++ = (unsigned char)kind;
        *at++ = (unsigned char)lane;
        at[0] = at[1] = 0;
    }
    if (shardlab_now() - s->looked >= SHARDLAB_EVERY_) shardlab_look_(s);
}

/* 0 where there are too many names. */
static uint32_t shardlab_name_(struct shardlab* s, const char* text) {
    size_t i, size;
    for (i = 0; i < s->names; ++i)
        if (strncmp(s->name[i], text, 500) == 0) return (uint32_t)i + 1;
    if (s->names == SHARDLAB_NAMES_) return 0;
    size = strlen(text) < 500 ? strlen(text) : 500;
    s->name[s->names] = (char*)calloc(1, size + 1);
    if (s->name[s->names] == NULL) return 0;
    memcpy(s->name[s->names], text, size);
    return (uint32_t)++s->names;
}

/* `address` HOST:PORT and `token`: NULL for what the environment says. NULL where either is missing or leads nowhere,
 * or the token asks for TLS. */
static struct shardlab* shardlab_connect(const char* address, const char* token, const char* program, int rank,
                                         int world) {
    struct addrinfo hints, *found = NULL;
    struct shardlab* s;
    char host[256];
    const char* port;
    if (address == NULL) address = getenv("SHARDLAB_ADDRESS");
    if (token == NULL) token = getenv("SHARDLAB_TOKEN");
    if (address == NULL || strlen(address) >= sizeof host || (s = (struct shardlab*)calloc(1, sizeof *s)) == NULL)
        return NULL;
    if (token != NULL) strncpy(s->token, token, sizeof s->token - 1);
    else if (getenv("SHARDLAB_TOKEN_FILE") != NULL)
        strncpy(s->token_file, getenv("SHARDLAB_TOKEN_FILE"), sizeof s->token_file - 1);
    shardlab_token_(s);
    port = strrchr(address, ':');
    strcpy(host, port ? address : "127.0.0.1");
    if (port) host[port - address] = 0;
    port = port ? port + 1 : address;
    if (host[0] == '[' && host[strlen(host) - 1] == ']') {
        host[strlen(host) - 1] = 0;
        memmove(host, host + 1, strlen(host));
    }
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    if (s->token[0] == 0 || strncmp(s->token, "tls", 3) == 0 || getaddrinfo(host, port, &hints, &found) != 0) {
        free(s);
        return NULL;
    }
    memcpy(&s->place, found->ai_addr, found->ai_addrlen);
    s->place_size = found->ai_addrlen;
    freeaddrinfo(found);
    strncpy(s->program, program ? program : "a C program", sizeof s->program - 1);
    gethostname(s->host, sizeof s->host - 1);
    shardlab_line_("/proc/sys/kernel/random/boot_id", s->clock, sizeof s->clock);
    s->started = shardlab_now();
    s->caller = (uint64_t)s->started * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uint32_t)rank ^
                (uint64_t)(uintptr_t)s;
    s->rank = rank;
    s->world = world;
    s->step = -1;
    s->socket = -1;
    s->attempted = s->started - SHARDLAB_RETRY_;
    shardlab_look_(s);
    return s;
}

/* F, B, I, W, R of a stage and a microbatch, or the optimizer; on the compute lane. Times are of shardlab_now(). */
static void shardlab_action(struct shardlab* s, enum shardlab_kind kind, int stage, int microbatch, int64_t begin,
                            int64_t end) {
    if (s != NULL) shardlab_put_(s, kind, SHARDLAB_COMPUTE, 0, begin, end, 0, 0, stage, microbatch);
}

/* Any other stretch of time, by its name. */
static void shardlab_span(struct shardlab* s, enum shardlab_lane lane, const char* name, int64_t bytes, int64_t begin,
                          int64_t end) {
    static const int kinds[4] = {96, 97, 98, 100};
    if (s != NULL) shardlab_put_(s, kinds[lane & 3], lane & 3, shardlab_name_(s, name), begin, end, bytes, 0, -1, -1);
}

static void shardlab_instant(struct shardlab* s, const char* name) {
    const int64_t now = shardlab_now();
    if (s != NULL) shardlab_put_(s, 120, SHARDLAB_HOST, shardlab_name_(s, name), now, now, 0, 0, -1, -1);
}

/* "loss", "validation loss", "gradient norm", "learning rate", "tokens/s", or any name. */
static void shardlab_counter(struct shardlab* s, const char* name, double value) {
    static const char* const known[5] = {"loss", "validation loss", "gradient norm", "learning rate", "tokens/s"};
    const int64_t now = shardlab_now();
    int i;
    if (s == NULL) return;
    for (i = 0; i < 5 && strcmp(name, known[i]) != 0; ++i) {}
    shardlab_put_(s, i < 5 ? 32 + i : 112, SHARDLAB_HOST, i < 5 ? 0 : shardlab_name_(s, name), now, now, 0, value, -1,
                  -1);
}

/* What is sent until shardlab_step_end belongs to this step. */
static void shardlab_step_begin(struct shardlab* s, int32_t step) {
    if (s == NULL) return;
    s->step = step;
    s->step_begin = shardlab_now();
}

static void shardlab_step_end(struct shardlab* s) {
    if (s == NULL) return;
    shardlab_put_(s, 14, SHARDLAB_HOST, 0, s->step_begin, shardlab_now(), 0, 0, -1, -1);
    s->step = -1;
}

/* How many events were dropped because the queue was full. */
static uint64_t shardlab_dropped(const struct shardlab* s) { return s ? s->dropped : 0; }

/* Sends what is queued, waiting so many milliseconds at most, takes leave, and frees all. */
static void shardlab_close(struct shardlab* s, int milliseconds) {
    int64_t until = shardlab_now() + (int64_t)milliseconds * 1000000;
    size_t i;
    int left = 0;
    if (s == NULL) return;
    while (s->state != 4 && shardlab_now() < until) {
        shardlab_look_(s);
        if (left && s->state != 3) break;
        if (s->state == 3 && s->count == 0 && s->dropped == s->told && s->out_sent == s->out_size) {
            if (left) break;
            s->out_size = s->out_sent = 0;
            s->out[8] = 43;
            shardlab_frame_(s, s->out, s->out + 9);
            left = 1;
            continue;
        }
        poll(NULL, 0, 2);
    }
    shardlab_down_(s);
    for (i = 0; i < s->names; ++i) free(s->name[i]);
    free(s);
}

/* A program need not use all of it. */
static inline void shardlab_unused_(void) {
    (void)shardlab_connect, (void)shardlab_action, (void)shardlab_span, (void)shardlab_instant, (void)shardlab_counter;
    (void)shardlab_step_begin, (void)shardlab_step_end, (void)shardlab_dropped, (void)shardlab_close;
}

#endif
