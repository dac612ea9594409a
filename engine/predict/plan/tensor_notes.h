// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <vector>

namespace shardlab::predict {

/// Notes on shares of a tensor group that are not equal, and on what that costs; empty where all divides.
std::vector<Sentence> tensorNotes(const Layout& layout);

}  // namespace shardlab::predict
