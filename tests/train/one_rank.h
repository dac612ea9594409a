// SPDX-License-Identifier: Apache-2.0
// A layout trains like one rank: however the work is split, losses and the norm of the gradients are those of the same
// training on one rank.
#pragma once

#include "engine/layout/layout_file.h"
#include "tests/train/outcomes.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>
#include <string>

namespace shardlab::test {

/// Ranks along each axis, and what they share out.
struct Split {
    int data = 1;
    int pipeline = 1;
    int tensor = 1;
    int context = 1;
    bool sequence = false;
    int zero = 0;
    ContextKind method = ContextKind::Ring;

    int ranks() const { return data * pipeline * tensor * context; }
};

/// Splits the layout over ranks of this host. Several stages run in 1F1B.
inline void splitOver(Layout& layout, const Split& split) {
    layout.cluster.hosts = {{"localhost", split.ranks()}};
    layout.parallel.data = split.data;
    layout.parallel.pipeline = split.pipeline;
    layout.parallel.tensor = split.tensor;
    layout.parallel.context = split.context;
    layout.parallel.contextKind = split.method;
    layout.parallel.sequence = split.sequence;
    layout.parallel.zero = split.zero;
    layout.schedule.kind = split.pipeline > 1 ? "1f1b" : "naive";
}

/// The same training on one rank: at full speed, in one microbatch, and with all of it in the rank's memory.
inline Layout onOneRank(Layout layout) {
    layout.parallel = {};
    layout.schedule = {};
    layout.memory = {};
    layout.cluster.pace.reset();
    splitOver(layout, {});
    layout.batch.micro = layout.batch.global;
    return layout;
}

/// Fails the test where a loss or a norm differs.
inline void requireEqual(const RunOutcome& run, const RunOutcome& wanted, const CurveTolerance& tolerance = {}) {
    const QString wrong = difference(run, wanted, tolerance);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// What tests compare with, trained on one rank once.
class OneRank {
public:
    const RunOutcome& trained(const Layout& like) {
        const Layout layout = onOneRank(like);
        const auto [entry, added] = runs_.try_emplace(writeLayout(layout));
        if (added) entry->second = runInProcess(planOf(layout));
        return entry->second;
    }
    /// Fails the test where `run` did not train `layout` as one rank does.
    void requireEqual(const Layout& layout, const RunOutcome& run, const CurveTolerance& tolerance = {}) {
        shardlab::test::requireEqual(run, trained(layout), tolerance);
        QCOMPARE(run.counter(EventKind::Loss).size(), static_cast<std::size_t>(layout.run.steps));
    }
    /// The same of a run that nobody looks at otherwise.
    void requireEqual(const Layout& layout, const CurveTolerance& tolerance = {}) {
        requireEqual(layout, runInProcess(planOf(layout)), tolerance);
    }

private:
    std::map<std::string, RunOutcome> runs_;
};

}  // namespace shardlab::test
