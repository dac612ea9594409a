// SPDX-License-Identifier: Apache-2.0
// What tests of gates share, on every device: routes in its memory, and which gates are tried.
#pragma once

#include "tests/kernels/kernel_rows.h"
#include "tests/kernels/tried_gate.h"
#include "tests/support/wings.h"

#include <cstdint>
#include <vector>

namespace shardlab::test {

/// Routes on a device, and what they say.
struct HeldRoutes {
    DeviceArray weights, rows, places, counts;
    GateShape shape;
    DeviceArray assigned, rounds, begins, numbers, asks;

    Routes routes() const {
        return {weights.floats(),
                rows.tokens(),
                places.tokens(),
                counts.floats(),
                counts.floats() + shape.samples * shape.experts,
                assigned.floats(),
                rounds.tokens(),
                begins.tokens(),
                shape.competes() || shape.dropless ? numbers.tokens() : nullptr,
                shape.competes() ? asks.tokens() : nullptr};
    }
};

inline std::vector<std::int32_t> integers(Device& device, const DeviceArray& array) {
    std::vector<std::int32_t> values(array.size());
    device.download(array.tokens(), values.data(), values.size() * sizeof(std::int32_t));
    return values;
}

class GateRows : protected KernelRows {
protected:
    HeldRoutes held(const GateShape& shape) const {
        const auto choices = std::size_t(shape.tokens()) * std::size_t(shape.choices);
        const auto garbage = [&](std::size_t count) { return tokens(std::vector<std::int32_t>(count, 12345)); };
        return {poisoned(choices),
                garbage(choices),
                garbage(std::size_t(shape.rows())),
                poisoned(2 * std::size_t(shape.samples) * std::size_t(shape.experts)),
                shape,
                poisoned(std::size_t(shape.whole().tokens()) * std::size_t(shape.experts)),
                garbage(std::size_t(shape.samples)),
                garbage(std::size_t(shape.experts) + 1),
                garbage(std::size_t(shape.rows())),
                garbage(std::size_t(shape.asks()))};
    }
    /// Both phases of a rank that has all tokens.
    void route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) const {
        device().chooseExperts(shape, rule, logits, routes);
        device().placeTokens(shape, rule, logits.experts, {}, routes);
    }
    /// Rows of a test's column "gate".
    static void addTokensChoose(bool dropless) {
        const auto add = [&](const char* name, TriedGate gate) {
            gate.dropless = dropless;
            QTest::addRow("%s%s", name, dropless ? ", dropless" : "") << gate;
        };
        if (!dropless) add("gshard", {.kind = GateKind::GShard});
        add("switch", {.kind = GateKind::Switch, .several = false});
        add("switch, several", {.kind = GateKind::Switch});
        add("top k softmax", {.kind = GateKind::TopKSoftmax});
        add("sigmoid", {.kind = GateKind::Sigmoid, .grouped = false});
        add("sigmoid in groups", {.kind = GateKind::Sigmoid});
        add("noisy top k", {.kind = GateKind::NoisyTopK});
        add("hierarchical", {.kind = GateKind::Hierarchical});
    }
    static void addExpertsChoose() {
        QTest::newRow("expert choice") << TriedGate{.kind = GateKind::ExpertChoice};
        QTest::newRow("capped") << TriedGate{.kind = GateKind::CappedChoice};
    }
};

}  // namespace shardlab::test
