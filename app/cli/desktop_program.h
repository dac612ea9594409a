// SPDX-License-Identifier: Apache-2.0
// What the desktop draws for the command line, on no display.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace shardlab::cli {

/// Runs shardlab-desktop with these arguments to its end. Errors: it is not there, or the error that it tells; `what`
/// says what was not done.
Status askDesktop(std::vector<std::string> arguments, const std::string& what);

}  // namespace shardlab::cli
