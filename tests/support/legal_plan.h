// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

#include <stdexcept>
#include <utility>

namespace shardlab::test {

/// The plan of a legal layout; throws where it is none.
inline Plan planOf(const Layout& layout) {
    auto plan = makePlan(layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));
    return std::move(*plan);
}

}  // namespace shardlab::test
