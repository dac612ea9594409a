// SPDX-License-Identifier: Apache-2.0
// For how long the other side has been silent while this one listened: time in which this process did not run, as when
// the whole machine was suspended, is nobody's silence.
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::launch {

class Silence {
public:
    /// Called several times a second; `now` in nanoseconds.
    void pass(std::int64_t now) {
        if (passedAt_ != 0) length_ += std::clamp<std::int64_t>(now - passedAt_, 0, longestGap);
        passedAt_ = now;
    }
    void broken() { length_ = 0; }
    std::int64_t length() const { return length_; }  ///< nanoseconds

private:
    static constexpr std::int64_t longestGap = 200'000'000;
    std::int64_t length_ = 0;
    std::int64_t passedAt_ = 0;
};

}  // namespace shardlab::launch
