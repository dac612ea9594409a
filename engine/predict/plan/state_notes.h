// SPDX-License-Identifier: Apache-2.0
// What a plan tells of methods that keep state in fewer bytes.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <vector>

namespace shardlab::predict {

/// Notes on where a layout keeps its state and in which form: partitioned and packed activations, moments in 8 bits,
/// and what lies on the host; empty where nothing of that applies.
std::vector<Sentence> stateNotes(const Layout& layout);

}  // namespace shardlab::predict
