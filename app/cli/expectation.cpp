// SPDX-License-Identifier: Apache-2.0
#include "app/cli/expectation.h"

#include "app/cli/print.h"
#include "engine/launch/job/run_header.h"

namespace shardlab::cli {

void addExpectationTo(Verb& verb, LayoutArgument& layout) {
    verb.option(
            "--layout", layout.layout,
            "The layout that the program trains, a file or a preset: its prediction is drawn above what is recorded, "
            "and compared with it")
        .typeName("LAYOUT");
    layout.addAssignmentsTo(verb);
    layout.addClusterTo(verb);
    layout.addScheduleTo(verb);
}

Result<std::optional<ExpectedRun>> expectationOf(const LayoutArgument& layout, std::vector<Fault>& faults) {
    if (layout.layout.empty()) return std::optional<ExpectedRun>();
    auto loaded = load(layout);
    if (!loaded) return fail(loaded.error());
    faults = std::move(loaded->faults);
    if (!faults.empty()) return std::optional<ExpectedRun>();
    auto expected = expectedRun(loaded->layout, measurementsOfThisMachine());
    if (expected) return std::optional(std::move(*expected));
    faults = std::move(expected.error());
    return std::optional<ExpectedRun>();
}

}  // namespace shardlab::cli
