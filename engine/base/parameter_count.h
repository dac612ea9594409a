// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <string>

namespace shardlab::base {

/// A number of parameters with the letters by which models are called, three significant digits: "124 M", "70.6 B" for
/// 10⁹, "1.04 T".
std::string formatParameters(double count);

}  // namespace shardlab::base
