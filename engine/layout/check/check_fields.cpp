// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"

#include "engine/layout/devices.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/fields.h"
#include "engine/layout/host_name.h"
#include "engine/layout/registries.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace shardlab::layout {
namespace {

Sentence limitsText(const Field& field) {
    const auto number = [](double value) {
        return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                    : fmt::format("{:.9g}", value);
    };
    return say("{} to {}", number(field.limits.least), number(field.limits.most));
}

class FieldChecker {
public:
    FieldChecker(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults)
        : layout_(layout), schedules_(schedules), faults_(faults) {}

    void check(const Field& field) {
        std::visit(
            [&](const auto& access) {
                // An enum has no illegal value: unknown words are faults of reading.
                using Access = std::decay_t<decltype(access)>;
                if constexpr (!std::is_same_v<Access, WordField> && !std::is_same_v<Access, WordSetField>)
                    judge(field, read(access, layout_));
            },
            field.access);
    }

private:
    static bool isWithin(const Field& field, double value) {
        return value >= field.limits.least && value <= field.limits.most;
    }

    void limits(const Field& field, std::string_view pointer, double value) {
        if (isWithin(field, value)) return;  // not so for NaN
        Sentence what = value < field.limits.least  ? say("{:.9g} is too small", value)
                        : value > field.limits.most ? say("{:.9g} is too large", value)
                                                    : say("{:.9g} is no number", value);
        faults_.push_back({std::string(pointer), std::move(what), termOf(field.limits.reason), limitsText(field)});
    }

    void judge(const Field& field, int value) { limits(field, field.pointer, value); }
    void judge(const Field& field, std::int64_t value) { limits(field, field.pointer, static_cast<double>(value)); }
    void judge(const Field& field, double value) { limits(field, field.pointer, value); }
    void judge(const Field&, bool) {}
    void judge(const Field&, const std::optional<PaceSpec>&) {}

    void judge(const Field&, const std::vector<std::string>&) {}

    template <class T>
    void judge(const Field& field, const std::vector<T>& list) {
        for (std::size_t i = 0; i < list.size() && faults_.size() <= mostFaults; ++i)
            if (const auto value = static_cast<double>(list[i]); !isWithin(field, value))
                limits(field, fmt::format("{}/{}", field.pointer, i), value);
    }

    /// The words of a text that must be a name in a registry; empty: any text is legal.
    std::vector<std::string_view> namesOf(const Field& field) const {
        std::vector<std::string_view> words;
        for (const RegistryEntry& entry : registryOf(field, schedules_)) words.push_back(entry.name);
        return words;
    }

    static Sentence whyUnknown(const Field& field, const std::string& value) {
        if (field.pointer != "/cluster/pace/device") return say("the words are fixed");
        for (const Error& damaged : deviceList().damaged)
            if (std::filesystem::path(damaged.where.english()).stem() == value) return damaged.told();
        return say("it is no device that comes with Shardlab, and none of the user's own (shardlab devices)");
    }

    void judge(const Field& field, const std::string& value) {
        const std::vector<std::string_view> words = namesOf(field);
        if (words.empty() || std::ranges::find(words, value) != words.end()) return;
        faults_.push_back(unknownWord(field.pointer, value, words, field.planned, whyUnknown(field, value)));
    }

    void judge(const Field& field, const std::vector<HostSpec>& hosts) {
        const std::string pointer(field.pointer);
        if (hosts.empty())
            faults_.push_back({pointer, say("there are no hosts"), say("ranks need a machine to run on"),
                               say("at least one, {}", "{\"name\": \"localhost\", \"devices\": 4}")});
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < hosts.size() && faults_.size() <= mostFaults; ++i) {
            const std::string host = fmt::format("{}/{}", pointer, i);
            limits(field, host + "/devices", hosts[i].devices);
            if (!isHostName(hosts[i].name))
                faults_.push_back({host + "/name", say("\"{}\" is no host name", hosts[i].name.substr(0, 60)),
                                   say("it is handed to mpirun"), termOf(legalHostName)});
            else if (!seen.insert(hosts[i].name).second)
                faults_.push_back({host + "/name", say("\"{}\" stands twice", hosts[i].name.substr(0, 60)),
                                   say("a host gives all its devices in one entry"),
                                   say("each host once, with the sum of its devices")});
        }
    }

    const Layout& layout_;
    std::span<const ScheduleMethod> schedules_;
    std::vector<Fault>& faults_;
};

}  // namespace

void checkFields(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    FieldChecker checker(layout, schedules, faults);
    for (const Field& field : fields())
        if (isPresent(field, layout)) checker.check(field);
}

}  // namespace shardlab::layout
