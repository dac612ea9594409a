// SPDX-License-Identifier: Apache-2.0
// What ranks told of their memory, and of copies between device and host, beside what the simulation has of them.
#pragma once

#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QString>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace shardlab::test {

/// The largest that a rank told of a counter by category, of which `first` is the first.
inline MemoryBytes toldBytes(const RankOutcome& rank, EventKind first) {
    MemoryBytes bytes{};
    for (const Event& event : rank.events)
        if (const auto category = memoryCategory(event.kind, first))
            bytes[static_cast<std::size_t>(*category)] =
                std::max(bytes[static_cast<std::size_t>(*category)], event.bytes);
    return bytes;
}

/// What it told last of its host.
inline MemoryBytes toldHostBytes(const RankOutcome& rank) {
    MemoryBytes bytes{};
    for (const Event& event : rank.events)
        if (event.kind == EventKind::HostMemory) bytes[static_cast<std::size_t>(event.value)] = event.bytes;
    return bytes;
}

/// Empty: what ranks hold is the ledger's, each category's largest bytes and all categories together.
inline QString memoryDiffers(const Plan& plan, const RunOutcome& run) {
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        MemoryBytes bytes{};
        std::int64_t peak = 0;
        for (const Event& event : run.ranks[rank].events) {
            if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
            if (const auto category = memoryCategory(event.kind, EventKind::CategoryPeak))
                bytes[static_cast<std::size_t>(*category)] =
                    std::max(bytes[static_cast<std::size_t>(*category)], event.bytes);
        }
        const RankMemory& predicted = plan.memory[rank];
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            // Between stages a message may leave sooner than the ledger has it.
            const bool exact = plan.layout.parallel.pipeline == 1 || i <= std::size_t(MemoryCategory::Optimizer);
            if (exact ? bytes[i] != predicted.bytes[i] : bytes[i] > predicted.bytes[i])
                return QString("rank %1, category %2: %3 allocated, %4 predicted")
                    .arg(rank)
                    .arg(i)
                    .arg(bytes[i])
                    .arg(predicted.bytes[i]);
        }
        if (plan.layout.parallel.pipeline == 1 && peak != predicted.peak)
            return QString("rank %1: %2 allocated, %3 predicted").arg(rank).arg(peak).arg(predicted.peak);
    }
    return {};
}

/// A rank's copies between device and host in a step, and its waits for them; seconds.
struct HostCopyTimes {
    double copied = 0;
    double waited = 0;
    void add(const Event& event) {
        const double seconds = toSeconds(event.end - event.begin);
        if (isHostCopy(event.kind)) copied += seconds;
        if (event.kind == EventKind::Wait && isHostCopy(actionFromId(event.action).kind)) waited += seconds;
    }
};

/// By rank.
inline std::vector<HostCopyTimes> simulatedCopies(const Plan& plan) {
    std::vector<HostCopyTimes> times(static_cast<std::size_t>(plan.mesh.ranks()));
    for (const Event& event : plan.simulation.events) times[static_cast<std::size_t>(event.rank)].add(event);
    return times;
}

/// Largest part of a step by which a rank's copies or waits are off from the simulation, in the step after the first
/// that comes closest: the machine may be busy otherwise.
inline double copiesOff(const Plan& plan, const RunOutcome& run) {
    const std::vector<HostCopyTimes> wanted = simulatedCopies(plan);
    double least = HUGE_VAL;
    for (int step = 1; step < plan.layout.run.steps; ++step) {
        double off = 0;
        for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
            HostCopyTimes times;
            for (const Event& event : run.ranks[rank].events)
                if (event.step == step) times.add(event);
            off = std::max(
                {off, std::abs(times.copied - wanted[rank].copied), std::abs(times.waited - wanted[rank].waited)});
        }
        least = std::min(least, off / plan.simulation.stepSeconds);
    }
    return least;
}

/// Fails the test where a run with something on the host and one without come to other bits.
inline void requireSameBits(const Layout& layout, const RunOutcome& wanted, const RunOutcome& got) {
    QVERIFY2(wanted.error.empty(), wanted.error.c_str());
    QVERIFY2(got.error.empty(), got.error.c_str());
    QCOMPARE(got.counter(EventKind::Loss).size(), static_cast<std::size_t>(layout.run.steps));
    for (const EventKind counter :
         {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm, EventKind::LossScale})
        QVERIFY2(got.counter(counter) == wanted.counter(counter), std::string(name(counter)).c_str());
    QCOMPARE(got.count(EventKind::Overflow), wanted.count(EventKind::Overflow));
    for (std::size_t rank = 0; rank < got.ranks.size(); ++rank) {
        QVERIFY(!got.ranks[rank].parameters.empty());
        QVERIFY(got.ranks[rank].parameters == wanted.ranks[rank].parameters);
    }
}

}  // namespace shardlab::test
