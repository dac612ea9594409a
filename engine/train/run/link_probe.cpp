// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/link_probe.h"

#include "engine/base/clock.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/train/comm/scalars.h"
#include "engine/base/median.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace shardlab::train {
namespace {

constexpr int repeats = 15;
constexpr int warmUp = 3;
constexpr std::int64_t busyNanoseconds = 2'000'000;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Typical {
    double seconds = 0;
    double spread = 0;
};

/// The line through (small, s) and (large, l): seconds of an empty message, and bytes per second.
LinkProfile lineThrough(double small, double s, double large, double l) {
    if (l <= s) return {0, large / l};
    const double bandwidth = (large - small) / (l - s);
    return {std::max(0.0, l - large / bandwidth), bandwidth};
}

void spinUntil(std::int64_t moment) {
    while (monotonicNanoseconds() < moment) {}
}

/// Nanoseconds from the begin of a send to the moment at which the receiver has the message. `contended`: the other
/// ranks compute meanwhile, and a rank that shares a core with them waits for its turn.
double oneWay(Communicator& world, int from, std::vector<std::byte>& data, bool contended) {
    const int to = 1 - from;
    std::int64_t moment = 0;
    std::byte ready{};
    if (world.rank() == to) {
        const RequestPtr message = world.ireceive(data, from, 1);
        world.send(std::span<const std::byte>(&ready, 1), from, 2);
        message->wait();
        moment = monotonicNanoseconds();
    } else if (world.rank() == from) {
        world.receive(std::span(&ready, 1), to, 2);
        moment = monotonicNanoseconds();
        const RequestPtr message = world.isend(data, to, 1);
        spinUntil(moment + busyNanoseconds);
        message->wait();
    } else if (contended) {
        spinUntil(monotonicNanoseconds() + busyNanoseconds);
    }
    const std::vector<std::int64_t> moments = gather(world, moment);
    return static_cast<double>(moments[static_cast<std::size_t>(to)] - moments[static_cast<std::size_t>(from)]);
}

Typical sendSeconds(Communicator& world, std::size_t bytes, bool contended) {
    std::vector<std::byte> data(bytes);
    std::vector<double> times;
    for (int i = 0; i < warmUp + repeats; ++i)
        if (const double time = oneWay(world, i % 2, data, contended); i >= warmUp) times.push_back(time);
    // A turn on a core comes at once or late; a step waits for the sum of all turns.
    if (contended) return {1e-9 * mean(times), 0};
    return {1e-9 * median(times), spreadOf(times)};
}

Typical allReduceSeconds(Communicator& world, Communicator& group, Arena& arena, std::size_t floats) {
    const Buffer data = arena.allocateZeroed(MemoryCategory::Gradients, floats);
    std::vector<double> times;
    for (int i = 0; i < warmUp + repeats; ++i) {
        world.barrier();
        const std::int64_t begin = monotonicNanoseconds();
        group.barrier();
        group.allReduce(data.span(), ReduceOp::Sum);
        const std::int64_t longest = largest(world, group.size() > 1 ? monotonicNanoseconds() - begin : 0);
        if (i >= warmUp) times.push_back(static_cast<double>(longest));
    }
    return {1e-9 * median(times), spreadOf(times)};
}

}  // namespace

MeasuredLink measureSend(Communicator& world, std::size_t bytes, bool contended) {
    if (world.size() < 2) return {};
    const std::size_t less = std::max<std::size_t>(1, bytes / 8);
    const Typical quick = sendSeconds(world, less, contended), slow = sendSeconds(world, bytes, contended);
    const auto few = static_cast<double>(less), many = static_cast<double>(bytes);
    return {lineThrough(few, quick.seconds, many, slow.seconds), slow.spread};
}

MeasuredLink measureAllReduce(Communicator& world, Communicator& group, Arena& arena, std::size_t floats) {
    const auto members = static_cast<double>(largest(world, group.size()));
    if (members < 2) return {};
    const std::size_t all = static_cast<std::size_t>(largest(world, static_cast<std::int64_t>(floats)));
    const std::size_t less = std::max<std::size_t>(1, all / 8);
    const Typical quick = allReduceSeconds(world, group, arena, less);
    const Typical slow = allReduceSeconds(world, group, arena, all);
    const LinkProfile line = lineThrough(sizeof(float) * static_cast<double>(less), quick.seconds,
                                         sizeof(float) * static_cast<double>(all), slow.seconds);
    return {{line.seconds / (2 * (members - 1)), line.bandwidth * 2 * (members - 1) / members}, slow.spread};
}

}  // namespace shardlab::train
