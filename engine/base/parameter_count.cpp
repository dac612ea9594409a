// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parameter_count.h"

#include "engine/base/units.h"

namespace shardlab::base {

std::string formatParameters(double count) {
    std::string text = formatCount(count);
    if (!text.empty() && text.back() == 'G') text.back() = 'B';
    return text;
}

}  // namespace shardlab::base
