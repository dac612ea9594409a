// SPDX-License-Identifier: Apache-2.0
// All layouts that are legal but for one thing.
#pragma once

#include "tests/layout/block_faults.h"
#include "tests/layout/cnn_faults.h"
#include "tests/layout/coded_faults.h"
#include "tests/layout/expert_faults.h"
#include "tests/layout/host_faults.h"
#include "tests/layout/single_faults.h"

namespace shardlab::test {

inline std::vector<SingleFault> allSingleFaults() {
    std::vector<SingleFault> all = singleFaults;
    for (const auto* more : {&blockFaults, &cnnFaults, &codedFaults, &expertFaults, &hostFaults})
        all.insert(all.end(), more->begin(), more->end());
    return all;
}

}  // namespace shardlab::test
