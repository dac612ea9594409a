// SPDX-License-Identifier: Apache-2.0
// Every refusal of engine/layout/check that is no field's own limit.
#pragma once

#include "tests/layout/refusals/blocks.h"
#include "tests/layout/refusals/cnn.h"
#include "tests/layout/refusals/coded.h"
#include "tests/layout/refusals/degrees.h"
#include "tests/layout/refusals/exchange.h"
#include "tests/layout/refusals/experts.h"
#include "tests/layout/refusals/host.h"
#include "tests/layout/refusals/numbers.h"
#include "tests/layout/refusals/runs.h"
#include "tests/layout/refusals/schedules.h"
#include "tests/layout/refusals/spread_experts.h"
#include "tests/layout/refusals/weights.h"

#include <iterator>
#include <vector>

namespace shardlab::test {

inline std::vector<Refusal> allRefusals() {
    std::vector<Refusal> all;
    const auto add = [&](const auto& refusals) { all.insert(all.end(), std::begin(refusals), std::end(refusals)); };
    add(blockRefusals), add(cnnRefusals), add(codedRefusals), add(degreeRefusals), add(exchangeRefusals);
    add(expertRefusals), add(hostRefusals), add(numberRefusals), add(runRefusals), add(scheduleRefusals);
    add(spreadExpertRefusals), add(weightsRefusals);
    return all;
}

}  // namespace shardlab::test
