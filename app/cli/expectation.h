// SPDX-License-Identifier: Apache-2.0
// The option --layout of verbs that make runs of other programs: the layout that the program trained.
#pragma once

#include "app/cli/layout_argument.h"
#include "engine/trace/interchange/expected_run.h"

#include <optional>

namespace shardlab::cli {

/// Adds --layout, --set, --cluster and --schedule to a verb.
void addExpectationTo(Verb& verb, LayoutArgument& layout);

/// None where no layout is named. Error: the status of the verb; what is wrong with the layout has been printed.
tl::expected<std::optional<ExpectedRun>, int> expectationOf(const LayoutArgument& layout);

}  // namespace shardlab::cli
