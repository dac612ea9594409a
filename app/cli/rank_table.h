// SPDX-License-Identifier: Apache-2.0
// A table that has a row of figures for each rank. Ranks that do the same and whose figures read the same are folded
// into one row, unless all are asked for.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"

#include <functional>
#include <string>
#include <vector>

namespace shardlab::cli {

/// `figures(rank)` gives the cells of a rank, below the headings `headings`.
std::string rankTable(const Layout& layout, const Mesh& mesh, std::vector<std::string> headings,
                      const std::function<std::vector<std::string>(int)>& figures, bool all);

}  // namespace shardlab::cli
