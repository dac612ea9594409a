// SPDX-License-Identifier: Apache-2.0
// Two loss curves held beside each other.
#pragma once

#include "tests/support/wings.h"

#include <QString>
#include <cmath>
#include <vector>

namespace shardlab::test {

/// The first value that is off by more than `tolerance` of what is wanted, in words; empty where the curves are equal.
inline QString difference(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
    if (got.size() != wanted.size()) return QString("%1 values instead of %2").arg(got.size()).arg(wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(got[i] - wanted[i]) <= tolerance * std::abs(wanted[i])))
            return QString("value %1 is %2 instead of %3").arg(i).arg(got[i], 0, 'g', 12).arg(wanted[i], 0, 'g', 12);
    return {};
}

}  // namespace shardlab::test
