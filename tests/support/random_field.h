// SPDX-License-Identifier: Apache-2.0
// A field of a layout takes another value, for tests that draw layouts.
#pragma once

#include "engine/base/random.h"
#include "engine/layout/fields.h"
#include "engine/layout/registries.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace shardlab::test {

/// Another value of the field, of its type, mostly a legal one.
inline void changeField(const Field& field, Layout& layout, RandomStream& random) {
    const auto number = [&](double low, double high) { return low + (high - low) * random.uniform(); };
    const double least = std::max(field.limits.least, -10.0), most = std::min(field.limits.most, 40.0);
    if (const auto* access = std::get_if<WordField>(&field.access))
        return access->choose(layout, random.below(static_cast<std::uint32_t>(access->words.size())));
    if (const auto* access = std::get_if<WordSetField>(&field.access)) {
        const std::size_t word = random.below(static_cast<std::uint32_t>(access->words.size()));
        return access->set(layout, word, !access->has(layout, word));
    }
    std::visit(
        [&](auto access) {
            using Access = decltype(access);
            if constexpr (!std::is_same_v<Access, WordField> && !std::is_same_v<Access, WordSetField>) {
                auto& value = access(layout);
                using Value = std::remove_reference_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, std::int64_t>) {
                    if (field.pointer == "/run/size_limit") value = static_cast<Value>(random.below(2) * 1'000'000'000);
                    else
                        value =
                            static_cast<Value>(std::llround(number(least, random.below(2) == 0 ? least + 4 : most)));
                } else if constexpr (std::is_same_v<Value, double>) {
                    value = random.below(3) == 0
                                ? std::max(field.limits.least, 0.0)
                                : number(std::max(field.limits.least, 0.0), std::min(field.limits.most, 1.0));
                } else if constexpr (std::is_same_v<Value, bool>) {
                    value = !value;
                } else if constexpr (std::is_same_v<Value, std::string>) {
                    std::vector<std::string_view> words;
                    if (field.pointer == "/cluster/pace/device") return;
                    for (const RegistryEntry& entry : registryOf(field, scheduleMethods())) words.push_back(entry.name);
                    value = words.empty() ? "some " + std::to_string(random.below(100))
                                          : std::string(words[random.below(words.size())]);
                } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
                    for (double& each : value) each = number(0, 0.99);
                } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
                    if (field.pointer == "/model/feed_forward") value = {static_cast<int>(number(1, 300))};
                } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                    value = {"0F0,0B0"};
                }
            }
        },
        field.access);
}

}  // namespace shardlab::test
