/* SPDX-License-Identifier: Apache-2.0 */
/* Two pipeline stages as a C program would show them: sender RANK WORLD STEPS, or FILE: until some steps after the file
 * is there. */
#include "shardlab.h"

static void work(void) {
    struct timespec nap = {0, 1000000};
    nanosleep(&nap, NULL);
}

/* Whether this step is still wanted. */
static int wants(const char *wanted, int step) {
    static int last = -1;
    if (strtol(wanted, NULL, 10) > 0) return step < strtol(wanted, NULL, 10);
    if (last < 0 && access(wanted, F_OK) == 0) last = step + 5;
    return last < 0 || step < last;
}

int main(int argc, char **argv) {
    const int rank = argc > 1 ? atoi(argv[1]) : 0, world = argc > 2 ? atoi(argv[2]) : 1;
    const char *wanted = argc > 3 ? argv[3] : "3";
    struct shardlab *live = shardlab_connect(NULL, NULL, "sender.c", rank, world);
    int step, microbatch;
    if (live == NULL) return 2;
    for (step = 0; wants(wanted, step); ++step) {
        int64_t begin;
        shardlab_step_begin(live, step);
        for (microbatch = 0; microbatch < 4; ++microbatch) {
            begin = shardlab_now();
            work();
            shardlab_action(live, SHARDLAB_F, rank, microbatch, begin, shardlab_now());
            begin = shardlab_now();
            work();
            shardlab_action(live, SHARDLAB_B, rank, microbatch, begin, shardlab_now());
        }
        begin = shardlab_now();
        work();
        shardlab_span(live, SHARDLAB_COMM, "all_reduce", 4096, begin, shardlab_now());
        begin = shardlab_now();
        shardlab_action(live, SHARDLAB_OPTIMIZER, rank, -1, begin, shardlab_now());
        if (rank == world - 1) shardlab_counter(live, "loss", 5.0 - step);
        shardlab_step_end(live);
    }
    shardlab_instant(live, "done");
    shardlab_close(live, 60000);
    return 0;
}
