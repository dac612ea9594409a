// SPDX-License-Identifier: Apache-2.0
// The option --layout of verbs that make runs of other programs: the layout that the program trained.
#pragma once

#include "app/cli/layout_argument.h"
#include "engine/trace/interchange/expected_run.h"

#include <optional>
#include <vector>

namespace shardlab::cli {

/// Adds --layout, --set, --cluster and --schedule to a verb.
void addExpectationTo(Verb& verb, LayoutArgument& layout);

/// None where no layout is named, or where it has `faults`. Errors: those of load().
Result<std::optional<ExpectedRun>> expectationOf(const LayoutArgument& layout, std::vector<Fault>& faults);

}  // namespace shardlab::cli
