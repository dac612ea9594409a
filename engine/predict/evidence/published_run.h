// SPDX-License-Identifier: Apache-2.0
// A published measurement of a run, and the layout that says the same (resources/published).
#pragma once

#include "engine/layout/layout.h"
#include "engine/predict/evidence/csv_table.h"

#include <optional>
#include <string>

namespace shardlab::predict {

struct PublishedRun {
    std::string id, source, device;
    char quality = 'C';             ///< 'A' unambiguous, 'B' one thing inferred, 'C' noisy or contradictory
    std::string missing;            ///< what the source does not state; empty = nothing
    std::optional<double> seconds;  ///< of a step
    std::optional<double> gib;      ///< peak memory of a device
    std::string memoryDefinition;
    Layout layout;
    std::string refused;  ///< why there is no such layout; empty = there is
};

/// The run of a row. Names of columns are those of resources/published/README.md.
PublishedRun publishedRun(const CsvTable& table, std::size_t row);

/// The stack that a row's source, flags, attention and date tell of (stacks.h).
std::string stackOfRow(const CsvTable& table, std::size_t row);

}  // namespace shardlab::predict
