// SPDX-License-Identifier: Apache-2.0
// The argument LAYOUT: a layout file or a preset's name, changed by --set.
#pragma once

#include "app/cli/hosts_argument.h"
#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule/text.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardlab::cli {

struct LayoutArgument {
    std::string layout;
    std::vector<std::string> assignments;  ///< "/pointer=value"
    std::string schedule;                  ///< a CSV file whose order becomes the layout's own; empty: none

    HostsArgument hosts;  ///< where they run; of a verb that runs them

    /// LAYOUT and --set of a verb.
    void addTo(CLI::App& verb, bool required = true);
    /// --schedule of a verb.
    void addScheduleTo(CLI::App& verb);
};

struct LoadedLayout {
    Layout layout;                        ///< paths absolute
    std::vector<Fault> faults;            ///< of the file, of the assignments and of their meaning: all of them
    std::vector<std::string> notes = {};  ///< what of the schedule's file was left out, counted
};

/// A file with a schedule as importCsv() reads it.
Result<ImportedSchedule> readSchedule(const std::string& file);

/// Error: neither a file nor a preset, not readable, no JSON; an assignment that is none; a schedule that is none.
Result<LoadedLayout> load(const LayoutArgument& argument);

}  // namespace shardlab::cli
