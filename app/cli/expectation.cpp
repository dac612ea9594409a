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

tl::expected<std::optional<ExpectedRun>, int> expectationOf(const LayoutArgument& layout) {
    if (layout.layout.empty()) return std::nullopt;
    const auto legal = loadLegal(layout);
    if (!legal) return tl::unexpected(legal.error());
    auto expected = expectedRun(*legal, measurementsOfThisMachine());
    if (!expected) return tl::unexpected(failWith(expected.error()));
    return std::move(*expected);
}

}  // namespace shardlab::cli
