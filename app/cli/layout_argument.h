// SPDX-License-Identifier: Apache-2.0
// The argument LAYOUT: a layout file or a preset's name, changed by --set.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardlab::cli {

struct LayoutArgument {
    std::string layout;
    std::vector<std::string> assignments;  ///< "/pointer=value"

    /// LAYOUT and --set of a verb.
    void addTo(CLI::App& verb, bool required = true);
};

struct LoadedLayout {
    Layout layout;              ///< paths absolute
    std::vector<Fault> faults;  ///< of the file, of the assignments and of their meaning: all of them
};

/// Error: neither a file nor a preset, not readable, no JSON; an assignment that is none.
Result<LoadedLayout> load(const LayoutArgument& argument);

}  // namespace shardlab::cli
