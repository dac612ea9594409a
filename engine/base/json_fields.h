// SPDX-License-Identifier: Apache-2.0
// Values out of JSON that anybody may have written, and lists into JSON. The library's own conversion of 4e9 or 4.5 to
// an integer cuts off, or is undefined where the integer does not hold it. Json is nlohmann's, of either order.
#pragma once

#include "engine/base/visible_text.h"
#include "engine/base/wings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace shardlab::base {

/// None where `value` is no whole number, or none that `Integer` holds.
template <class Integer, class Json>
std::optional<Integer> wholeNumber(const Json& value) {
    if (value.is_number_unsigned()) {
        if (const auto number = value.template get<std::uint64_t>(); std::in_range<Integer>(number))
            return static_cast<Integer>(number);
    } else if (value.is_number_integer()) {
        if (const auto number = value.template get<std::int64_t>(); std::in_range<Integer>(number))
            return static_cast<Integer>(number);
    }
    return std::nullopt;
}

/// A value as an error tells it: on one line, shortened.
template <class Json>
std::string shownValue(const Json& value) {
    return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// An array of what `write` makes of each of `rows`, which is a Json.
template <class Rows, class Write>
auto listOf(const Rows& rows, const Write& write) {
    using Json = std::decay_t<decltype(write(*rows.begin()))>;
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(write(row));
    return list;
}

/// Keeps what `target` is where `object` has no such key, or a value of another type there: later versions of a file
/// may add and drop keys.
template <class T, class Json>
void take(const Json& object, const char* key, T& target) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    if constexpr (std::is_same_v<T, std::string>) {
        if (found->is_string()) target = found->template get<T>();
    } else if constexpr (std::is_same_v<T, bool>) {
        if (found->is_boolean()) target = found->template get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
        if (found->is_number()) target = found->template get<T>();
    } else {
        target = wholeNumber<T>(*found).value_or(target);
    }
}

}  // namespace shardlab::base
