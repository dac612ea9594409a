// SPDX-License-Identifier: Apache-2.0
// Python's pickles of plain values (dicts, lists, tuples, texts, numbers) as JSON, read without executing anything. A
// pickle is a program: this reads the instructions that build plain values (protocols 2 to 5), and refuses by name each
// that would look up, call or build anything else.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// What a pickle may become; a few bytes of one can stand for any number of values, as a value may be named again.
struct PickleLimits {
    std::size_t values = 8'000'000;
    std::size_t text = std::size_t{256} << 20;  ///< bytes of all texts together
    int depth = 64;                             ///< of lists and dicts in one another
};

/// A value of a pickle. Lists and dicts hold numbers of values, so that one may be named again, or hold itself, without
/// a copy.
struct Pickled {
    enum class Kind : std::uint8_t { None, False, True, Whole, Real, Text, List, Dict };
    Kind kind = Kind::None;
    std::int64_t whole = 0;
    double real = 0;
    std::string_view text{};             ///< within the pickle
    std::vector<std::uint32_t> holds{};  ///< of a dict: key, value, key, value
};

/// A pickle whose values stay what they are, each once however often it is named: it takes memory in proportion to its
/// bytes, which must outlive it.
class PlainPickle {
public:
    /// Errors: those of readPickle(), but for what only JSON of it could exceed.
    static Result<PlainPickle> read(std::string_view bytes, const std::string& where, const PickleLimits& limits = {});

    /// What is asked of a value that is of another kind, or missing, is that of None.
    class Value {
    public:
        std::uint32_t number() const { return number_; }  ///< the same wherever the pickle names the value
        Pickled::Kind kind() const { return (*values_)[number_].kind; }
        std::size_t size() const;  ///< of a list
        Value operator[](std::size_t index) const;
        Value operator[](std::string_view key) const;  ///< of a dict; looks at all of its keys
        std::optional<std::int64_t> whole() const;
        std::string_view text() const;

    private:
        friend class PlainPickle;
        Value(const std::vector<Pickled>& values, std::uint32_t number) : values_(&values), number_(number) {}
        const std::vector<Pickled>* values_;
        std::uint32_t number_;
    };
    Value root() const { return {values_, root_}; }

private:
    std::vector<Pickled> values_;  ///< the first is None
    std::uint32_t root_ = 0;
};

/// Tuples become lists, whole numbers as keys their digits; bytes become texts as they stand. Errors name `where` and
/// the byte: an instruction that is not plain, a pickle that is cut off or takes what is not there, more than `limits`.
Result<nlohmann::json> readPickle(std::string_view bytes, const std::string& where, const PickleLimits& limits = {});

}  // namespace shardlab::trace
