// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/fault.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace shardlab::cli {

inline nlohmann::ordered_json faultsJson(const std::vector<Fault>& faults) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Fault& fault : faults) {
        list.push_back({{"pointer", fault.pointer},
                        {"what", fault.what.english()},
                        {"why", fault.why.english()},
                        {"legal", fault.legal.english()}});
        if (!fault.picture.empty()) list.back()["picture"] = fault.picture;
    }
    return list;
}

}  // namespace shardlab::cli
