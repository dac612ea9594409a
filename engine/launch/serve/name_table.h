// SPDX-License-Identifier: Apache-2.0
// The names of a run's events. Ranks and other programs number theirs each for itself, the run for all of them.
#pragma once

#include "engine/base/wings.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace shardlab::launch {

/// Where names take more memory than any program's do, further ones have one number.
class NameTable {
public:
    /// `named` is called with each number, which ascend from 1, and its name.
    explicit NameTable(std::function<void(std::uint32_t number, const std::string& name)> named)
        : named_(std::move(named)) {}
    std::uint32_t numberOf(const std::string& text);

private:
    std::function<void(std::uint32_t, const std::string&)> named_;
    std::map<std::string, std::uint32_t> numbers_;
    std::size_t bytes_ = 0;  ///< of all of them
};

}  // namespace shardlab::launch
