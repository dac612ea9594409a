// SPDX-License-Identifier: Apache-2.0
// Values beyond each end of each field's limits, and those that are no numbers: made from the table of fields.
#pragma once

#include "engine/layout/fields.h"
#include "engine/layout/layout.h"
#include "tests/support/wings.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace shardlab::test {

/// The default layout with one value outside the limits of its field.
struct OutOfLimits {
    std::string name;
    std::function<void(Layout&)> change;
    std::string pointer;  ///< of the fault
};

/// Values outside the field's limits that its type can hold.
template <class Number>
std::vector<Number> valuesOutside(const FieldLimits& limits) {
    std::vector<Number> values;
    if constexpr (std::is_floating_point_v<Number>) values.push_back(std::nan(""));
    for (const double value : {limits.least - 1, limits.most * 2 + 1})
        if (std::isfinite(value) &&
            (std::is_floating_point_v<Number> || (value >= double(std::numeric_limits<Number>::min()) &&
                                                  value <= double(std::numeric_limits<Number>::max()))))
            values.push_back(static_cast<Number>(value));
    return values;
}

inline std::vector<OutOfLimits> outOfLimits() {
    std::vector<OutOfLimits> all;
    for (const Field& field : fields()) {
        const auto add = [&](auto value, const char* place, auto write) {
            all.push_back({fmt::format("{} = {}", field.pointer, value),
                           [=](Layout& l) {
                               if (field.pointer.starts_with("/cluster/pace")) l.cluster.pace = PaceSpec{};
                               write(l, value);
                           },
                           std::string(field.pointer) + place});
        };
        std::visit(
            [&](const auto& access) {
                using Access = std::decay_t<decltype(access)>;
                if constexpr (std::is_same_v<Access, HostListField>) {
                    for (const int value : valuesOutside<int>(field.limits))
                        add(value, "/0/devices", [access](Layout& l, int each) { access(l)[0].devices = each; });
                } else if constexpr (!std::is_same_v<Access, WordField> && !std::is_same_v<Access, WordSetField>) {
                    using Value = std::remove_reference_t<decltype(access(std::declval<Layout&>()))>;
                    if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
                        for (const Value value : valuesOutside<Value>(field.limits))
                            add(value, "", [access](Layout& l, Value each) { access(l) = each; });
                    } else if constexpr (std::is_same_v<Value, std::vector<int>> ||
                                         std::is_same_v<Value, std::vector<double>>) {
                        using Number = typename Value::value_type;
                        for (const Number value : valuesOutside<Number>(field.limits))
                            add(value, "/0", [access](Layout& l, Number each) { access(l) = {each}; });
                    }
                }
            },
            field.access);
    }
    return all;
}

}  // namespace shardlab::test
