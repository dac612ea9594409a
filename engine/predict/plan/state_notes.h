// SPDX-License-Identifier: Apache-2.0
// What a plan tells of methods that keep state in fewer bytes.
#pragma once

#include "engine/layout/layout.h"

#include <string>
#include <vector>

namespace shardlab {

/// Of activations that a tensor group shares out, and of moments in 8 bits; none where the layout has neither.
std::vector<std::string> stateNotes(const Layout& layout);

}  // namespace shardlab
