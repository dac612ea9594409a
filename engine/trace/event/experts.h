// SPDX-License-Identifier: Apache-2.0
// How the load of experts is told as counters (EventKind::ExpertLoad, ExpertDropped): their `bytes` say which expert of
// which layer of the model.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::trace {

struct ExpertOfLayer {
    int layer = 0;
    int expert = 0;
    bool operator==(const ExpertOfLayer&) const = default;
};

constexpr std::int64_t expertNumber(const ExpertOfLayer& of) { return (std::int64_t{of.layer} << 16) | of.expert; }
constexpr ExpertOfLayer expertOf(std::int64_t number) {
    return {static_cast<int>(number >> 16), static_cast<int>(number & 0xffff)};
}

}  // namespace shardlab::trace
