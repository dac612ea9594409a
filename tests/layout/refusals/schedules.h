// SPDX-License-Identifier: Apache-2.0
// What is refused of pipeline schedules.
#pragma once

#include "tests/layout/refusals/premises.h"

namespace shardlab::test {

inline int microbatchesOf(const Layout& l) { return l.batch.global / (l.parallel.data * l.batch.micro); }
/// A pipeline of that many ranks alone.
inline void pipelineOf(Layout& l, int ranks, const char* schedule, int chunks) {
    l.parallel.data = 1;
    l.parallel.pipeline = ranks;
    l.schedule.kind = schedule;
    l.schedule.chunks = chunks;
    onOneHost(l);
}
/// Whether the schedule has an order at all for the layout's ranks, chunks and microbatches.
inline bool hasOrder(const Layout& l) { return generateSchedule(l.schedule.kind, scheduleShape(l)).has_value(); }

inline constexpr Refusal scheduleRefusals[]{
    {"chunks of a schedule without them", [](Layout& l) { l.schedule.chunks = 2; }, "/schedule/chunks", "1",
     wrong("1F1B (2006.09503): a rank holds one stage, and its order names no other", hasOrder)},
    {"a single chunk of a schedule of several", [](Layout& l) { l.schedule.kind = "interleaved-1f1b"; },
     "/schedule/chunks", "2 to 1024; 2 splits 4 layers evenly over 2 ranks",
     wrong("interleaved 1F1B (2104.04473): each rank holds several chunks", hasOrder)},
    {"a single chunk of more layers",
     [](Layout& l) {
         l.schedule.kind = "interleaved-1f1b";
         l.model.layers = 8;
     },
     "/schedule/chunks", "2 to 1024; 2 or 4 split 8 layers evenly over 2 ranks",
     wrong("interleaved 1F1B (2104.04473): each rank holds several chunks", hasOrder)},
    {"a single chunk of as many layers as ranks",
     [](Layout& l) {
         l.schedule.kind = "interleaved-1f1b";
         l.model.layers = 2;
     },
     "/schedule/chunks", "2 to 1024", wrong("interleaved 1F1B (2104.04473): each rank holds several chunks", hasOrder)},
    {"a limit of microbatches in an order that has its own", [](Layout& l) { l.schedule.inFlight = 1; },
     "/schedule/in_flight", "0", pointless()},
    {"an order by hand of a schedule that has its own",
     [](Layout& l) {
         l.schedule.actions = {"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3", "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"};
     },
     "/schedule/actions", "no actions; or the schedule custom, which does what is listed", pointless()},
    {"vertical sync of a flush", [](Layout& l) { l.schedule.verticalSync = true; }, "/schedule/vertical_sync",
     "false; or schedule.kind pipedream", pointless()},
    {"vertical sync of steps that use one version",
     [](Layout& l) {
         withoutFlush(l);
         l.schedule.kind = "pipedream-2bw";
         l.schedule.verticalSync = true;
     },
     "/schedule/vertical_sync", "false; or schedule.kind pipedream", pointless()},
    {"fewer microbatches than a V takes to fill",
     [](Layout& l) {
         pipelineOf(l, 2, "dualpipe-v", 2);
         l.batch = {6, 2};
     },
     "/batch/micro", "4 microbatches or more; so with micro 1",
     wrong("DualPipe-V: a rank begins with two microbatches of its V in flight, so that there are 2p or more",
           hasOrder)},
    {"a V of one rank and one microbatch",
     [](Layout& l) {
         pipelineOf(l, 1, "dualpipe-v", 2);
         l.batch = {1, 1};
     },
     "/batch/micro", "2 microbatches or more",
     wrong("DualPipe-V: a rank begins with two microbatches of its V in flight, so that there are 2p or more",
           hasOrder)},
    {"fewer microbatches than ranks between two versions",
     [](Layout& l) {
         pipelineOf(l, 4, "pipedream-2bw", 1);
         l.optimizer.clip = 0;
         l.batch = {6, 2};
     },
     "/batch/micro", "4 microbatches or more; so with micro 1",
     wrong("PipeDream-2BW (2006.09503): m ≥ p, or a stage needs a third version of its weights",
           [](const Layout& l) {
               return l.schedule.kind != "pipedream-2bw" || microbatchesOf(l) >= l.parallel.pipeline;
           })},
    {"more weight versions than are numbered",
     [](Layout& l) {
         pipelineOf(l, 2, "pipedream", 1);
         l.optimizer.clip = 0;
         l.model.sequence = 2;
         l.batch = {8193, 1};
     },
     "/batch/micro", "at most 8192 microbatches a step",
     contradiction("2 · p · m versions at most < 2^16, by which actions number them, in steps of at most 8192 updates",
                   [](const Layout& l) { return microbatchesOf(l) <= 8192; })},
    {"an order by hand that nobody wrote", [](Layout& l) { l.schedule.kind = "custom"; }, "/schedule/actions",
     "a line for each pipeline rank", absent("an order", hasOrder)},
    {"an order by hand that is none",
     [](Layout& l) {
         l.schedule.kind = "custom";
         l.schedule.actions = {"0X0", "1F0"};
     },
     "/schedule/actions", "", absent("an order", hasOrder)},
    {"an order by hand of fewer ranks",
     [](Layout& l) {
         l.schedule.kind = "custom";
         l.schedule.actions = {"0F0,0B0,0F1,0B1,0F2,0B2,0F3,0B3"};
     },
     "/schedule/actions", "", absent("an order for all ranks", hasOrder)},
    {"an order by hand that never ends",
     [](Layout& l) {
         l.schedule.kind = "custom";
         l.schedule.actions = {"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3", "1B0,1F0,1F1,1B1,1F2,1B2,1F3,1B3"};
     },
     "/schedule/actions", "", contradiction("stage 1 has microbatch 0 before its backward", hasOrder)},

    {"clipping without a flush", [](Layout& l) { l.schedule.kind = "pipedream"; }, "/optimizer/clip",
     "0; or a schedule with a flush, 1f1b",
     wrong("PipeDream (1806.03377): a stage updates without waiting for others, and the norm needs all gradients",
           [](const Layout& l) { return l.optimizer.clip == 0 || updatesBetweenSteps(l); })},
    {"ZeRO without a flush",
     [](Layout& l) {
         withoutFlush(l);
         l.parallel.zero = 1;
     },
     "/parallel/zero", "0; or a schedule with a flush, 1f1b",
     notBuilt("shards of each update's gradients, from which whole weights of a new version are gathered")},
};

}  // namespace shardlab::test
