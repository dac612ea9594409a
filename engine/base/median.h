// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <vector>

namespace shardlab::base {

/// The middle value; of an even number of values the mean of the middle two; 0 without values.
double median(std::vector<double> values);

}  // namespace shardlab::base
