// SPDX-License-Identifier: Apache-2.0
// Runs with what a rank owns on the host, beside the same runs with all of it on the device.
#pragma once

#include "engine/base/random.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/told_of_host.h"

#include <QTest>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

namespace shardlab::test {

inline std::int64_t ofState(const MemoryBytes& bytes) {
    std::int64_t sum = 0;
    for (const MemoryCategory category :
         {MemoryCategory::Parameters, MemoryCategory::Gradients, MemoryCategory::Optimizer})
        sum += bytes[static_cast<std::size_t>(category)];
    return sum;
}

inline Layout offloaded(Layout layout, OffloadKind kind = OffloadKind::Optimizer) {
    layout.memory.offload = kind;
    return layout;
}

/// Sizes and what else the layouts draw.
class OffloadRuns {
protected:
    ~OffloadRuns() = default;

    RandomStream random_{freshSeed(), "offload"};
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }

    /// Fresh sizes; four steps, dropout, several microbatches, gradients that are clipped.
    Layout layoutOf(int data, int pipeline, int tensor, int zero) {
        Layout layout;
        layout.model.kind = ModelKind::Gpt;
        layout.model.layers = pipeline * (1 + below(3));
        layout.model.heads = tensor * (1 + below(2));
        layout.model.hidden = layout.model.heads * (3 + below(5));
        layout.model.sequence = 4 + below(4);
        layout.model.dropout = 0.1;
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.zero = zero;
        layout.parallel.bucket = below(3) == 0 ? 25 : 0.005;
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.batch = {2 * data * std::max(2, pipeline), 1 + below(2)};
        layout.optimizer.clip = 0.5;
        layout.optimizer.warmup = 0;
        layout.run.steps = 4;
        layout.run.seed = below(1 << 30);
        layout.run.validateEvery = 2;
        return layout;
    }

    static void requireLedger(const Plan& plan, const RunOutcome& run) {
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const RankMemory& predicted = plan.memory[rank];
            QVERIFY(total(predicted.host) > 0);
            QVERIFY(toldHostBytes(run.ranks[rank]) == predicted.host);
            QCOMPARE(predicted.bytes[static_cast<std::size_t>(MemoryCategory::Optimizer)], std::int64_t{0});
            // At full speed messages may lie longer or shorter: of what stays throughout every byte is told.
            const MemoryBytes held = toldBytes(run.ranks[rank], EventKind::MemoryUsed);
            QCOMPARE(ofState(held), ofState(predicted.bytes));
        }
    }

    /// Copies of these kinds go as the plan has them, on all ranks.
    static void requireCopies(const Plan& plan, const RunOutcome& run,
                              std::initializer_list<EventKind> kinds = {EventKind::OffloadGradients,
                                                                        EventKind::ReloadWeights}) {
        for (const EventKind kind : kinds) {
            std::map<std::pair<int, std::uint64_t>, std::int64_t> predicted, measured;
            for (const Event& event : plan.simulation.events)
                if (event.kind == kind) predicted[{event.rank, event.action}] += event.bytes * plan.layout.run.steps;
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
                for (const Event& event : run.ranks[rank].events)
                    if (event.kind == kind) {
                        QVERIFY(event.lane == Lane::Copy);
                        measured[{static_cast<int>(rank), event.action}] += event.bytes;
                    }
            QVERIFY(!predicted.empty());
            QVERIFY(measured == predicted);
        }
    }
};

}  // namespace shardlab::test
