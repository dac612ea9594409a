// SPDX-License-Identifier: Apache-2.0
// A value for each value of an enum, one row each. Code that treats kinds differently asks such a table, so that the
// compiler counts the rows: a kind that lacks one is an error.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace shardlab::layout {

/// How many kinds an enum has whose last value is Count.
template <class Kind>
inline constexpr std::size_t kindCount = static_cast<std::size_t>(Kind::Count);

/// Made of rows in any order. Fewer rows than kinds, or two rows of one kind, are an error of the compiler.
template <class Kind, class T>
class KindTable {
public:
    struct Row {
        Kind kind;
        T value;
    };
    template <std::size_t rows>
    consteval explicit KindTable(const Row (&table)[rows]) {
        static_assert(rows == kindCount<Kind>, "every kind has a row");
        std::array<bool, kindCount<Kind>> seen{};
        for (const Row& row : table) {
            const auto kind = static_cast<std::size_t>(row.kind);
            if (seen.at(kind)) throw "a kind has two rows";
            seen[kind] = true;
            values_[kind] = row.value;
        }
    }
    constexpr const T& operator[](Kind kind) const { return values_[static_cast<std::size_t>(kind)]; }
    constexpr auto begin() const { return values_.begin(); }
    constexpr auto end() const { return values_.end(); }

private:
    std::array<T, kindCount<Kind>> values_{};
};

/// The words of a table's kinds, in the order of the enum.
template <class Kind, class Traits>
consteval std::array<std::string_view, kindCount<Kind>> wordsOf(const KindTable<Kind, Traits>& table) {
    std::array<std::string_view, kindCount<Kind>> words;
    auto word = words.begin();
    for (const Traits& traits : table) *word++ = traits.word;
    return words;
}

}  // namespace shardlab::layout
