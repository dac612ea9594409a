// SPDX-License-Identifier: Apache-2.0
// How a verb asks something of a run that another program has started and that goes on.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/job/run_request.h"
#include "engine/layout/layout.h"

#include <string>

namespace shardlab::cli {

/// The layout of a run that goes on. Errors: no run file, or one of a run that has ended. They begin with
/// `what`: "the run cannot be resized".
Result<Layout> layoutOfGoingRun(const std::string& runFile, const std::string& what);
/// Returns once the run has taken the request. Errors: another user's run, nobody took it.
Status askRun(const std::string& runFile, const RunRequest& request, const std::string& what);

}  // namespace shardlab::cli
