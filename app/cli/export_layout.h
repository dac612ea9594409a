// SPDX-License-Identifier: Apache-2.0
// `shardlab export LAYOUT --for TARGET`: a layout as the configuration of another program that trains.
#pragma once

#include "app/cli/layout_argument.h"

#include <string>

namespace shardlab::cli {

struct ExportLayoutOptions {
    LayoutArgument layout;
    std::string target;
    std::string out;  ///< empty: beside the layout file, or in the current folder
    bool sbatch = false;
    bool force = false;
};

/// Returns the exit status; prints the files that were written, and what was left out.
int exportLayoutFor(const ExportLayoutOptions& options);

}  // namespace shardlab::cli
