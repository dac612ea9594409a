// SPDX-License-Identifier: Apache-2.0
// The parts of the table of fields, one for each section of the layout file, and the way to write an entry's access.
#pragma once

#include "engine/layout/fields.h"

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardlab::layout {

std::span<const Field> modelFields();
std::span<const Field> expertFields();
std::span<const Field> dataFields();
std::span<const Field> clusterFields();
std::span<const Field> parallelFields();
std::span<const Field> scheduleFields();
std::span<const Field> batchFields();
std::span<const Field> precisionFields();
std::span<const Field> optimizerFields();
std::span<const Field> memoryFields();
std::span<const Field> runFields();
std::span<const Field> checkpointFields();

/// Reasons that several limits share.
inline constexpr std::string_view sizeReason = "there is at least one, and products of the sizes must stay countable";
inline constexpr std::string_view degreeReason = "there is at least one, and events number ranks with 16 bits";
inline constexpr double mostCounted = std::numeric_limits<int>::max();

/// The member that a path of member pointers leads to, for instance layout.cluster.pace->device.
template <auto First, auto... Rest>
constexpr auto& follow(auto& object) {
    auto& inner = object.*First;
    if constexpr (sizeof...(Rest) == 0) return inner;
    else if constexpr (requires { inner.has_value(); }) return follow<Rest...>(*inner);
    else return follow<Rest...>(inner);
}

template <class Member>
inline constexpr bool isWordSet = false;
template <class Kind>
inline constexpr bool isWordSet<WordSet<Kind>> = true;
template <class Kind>
Kind kindOfSet(const WordSet<Kind>&);

/// The access to that member. Where it is an enum, or a set of an enum's values, their words come along.
template <auto... Path>
consteval FieldAccess member() {
    using Member = std::remove_reference_t<decltype(follow<Path...>(std::declval<Layout&>()))>;
    if constexpr (isWordSet<Member>) {
        using Kind = decltype(kindOfSet(std::declval<Member>()));
        return WordSetField{
            layoutWords<Kind>,
            [](const Layout& layout, std::size_t word) { return follow<Path...>(layout).has(static_cast<Kind>(word)); },
            [](Layout& layout, std::size_t word, bool in) {
                follow<Path...>(layout).set(static_cast<Kind>(word), in);
            }};
    } else if constexpr (std::is_enum_v<Member>)
        return WordField{layoutWords<Member>,
                         [](const Layout& layout) { return static_cast<std::size_t>(follow<Path...>(layout)); },
                         [](Layout& layout, std::size_t word) { follow<Path...>(layout) = static_cast<Member>(word); }};
    else return +[](Layout& layout) -> Member& { return follow<Path...>(layout); };
}

}  // namespace shardlab::layout
