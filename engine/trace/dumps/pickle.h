// SPDX-License-Identifier: Apache-2.0
// Python's pickles of plain values (dicts, lists, tuples, texts, numbers) as JSON, read without executing anything. A
// pickle is a program: this reads the instructions that build plain values (protocols 2 to 5), and refuses by name each
// that would look up, call or build anything else.
#pragma once

#include "engine/base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace shardlab::trace {

/// What a pickle may become; a few bytes of one can stand for any number of values, as a value may be named again.
struct PickleLimits {
    std::size_t values = 8'000'000;
    std::size_t text = std::size_t{256} << 20;  ///< bytes of all texts together
    int depth = 64;                             ///< of lists and dicts in one another
};

/// Tuples become lists, whole numbers as keys their digits; bytes become texts as they stand. Errors name `where` and
/// the byte: an instruction that is not plain, a pickle that is cut off or takes what is not there, more than `limits`.
Result<nlohmann::json> readPickle(std::string_view bytes, const std::string& where, const PickleLimits& limits = {});

}  // namespace shardlab::trace
