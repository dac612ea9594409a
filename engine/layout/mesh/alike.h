// SPDX-License-Identifier: Apache-2.0
// Ranks that do the same in a step. Of many ranks a reader wants one for each sort, and how many there are.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"

#include <string>
#include <vector>

namespace shardlab::layout {

/// Ranks that carry out the same actions, each on samples, tokens, columns or experts of its own: all those of one
/// pipeline rank. Where replicas do not meet in a reduction but exchange with a server, a centre or shared memory, each
/// replica has a step of its own, and only ranks of one replica are alike. Every rank is in one group; ranks ascend,
/// and groups ascend by their first rank.
std::vector<std::vector<int>> alikeRanks(const Layout& layout, const Mesh& mesh);

/// "dp0 pp1": the coordinates of Mesh::label() in which all of these ranks agree; empty where there are none.
std::string commonLabel(const Mesh& mesh, const std::vector<int>& ranks);

/// Ascending ranks, or other ascending numbers, as a person writes them: "0–7, 12".
std::string rankList(const std::vector<int>& ranks);

}  // namespace shardlab::layout
