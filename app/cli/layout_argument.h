// SPDX-License-Identifier: Apache-2.0
// The argument LAYOUT: a layout file, a preset's name or another trainer's file, changed by --cluster and --set.
#pragma once

#include "app/cli/hosts_argument.h"
#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule/text.h"

#include "app/cli/verb.h"
#include <string>
#include <vector>

namespace shardlab::cli {

struct LayoutArgument {
    std::string layout;
    std::vector<std::string> assignments;  ///< "/pointer=value"
    std::string schedule;                  ///< a CSV file whose order becomes the layout's own; empty: none

    std::string cluster;  ///< "64x8:h100-sxm": the cluster that it is predicted on; empty: its own

    HostsArgument hosts;  ///< where the layout runs; only verbs that run it use this

    /// Adds LAYOUT, which it returns, and --set to a verb.
    Option addTo(Verb& verb, bool required = true);
    /// Adds --set alone, for a verb that takes other files in LAYOUT's place too.
    Option addAssignmentsTo(Verb& verb);
    /// Adds --cluster to a verb that predicts and starts nothing.
    void addClusterTo(Verb& verb);
    /// Adds --schedule to a verb.
    void addScheduleTo(Verb& verb);
};

struct LoadedLayout {
    Layout layout;              ///< paths absolute
    std::vector<Fault> faults;  ///< all faults of the file, of the assignments and of their meaning
};

/// A file with a schedule as importCsv() reads it.
Result<ImportedSchedule> readSchedule(const std::string& file);

/// Prints a note for all that a file says and no layout, and for what --cluster has changed besides.
/// Errors: there is no such file or preset, it cannot be read, or is no JSON; an assignment, a schedule or a cluster is
/// none.
Result<LoadedLayout> load(const LayoutArgument& argument);
/// The layout of load(), which has no fault. Error: the status of a verb that failed; what is wrong has been printed.
tl::expected<Layout, int> loadLegal(const LayoutArgument& argument);

}  // namespace shardlab::cli
