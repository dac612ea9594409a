// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/published_ground.h"

#include "engine/base/resources.h"
#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/stacks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::predict {
namespace {

constexpr int leastRuns = 5;

/// The stack and the architecture of the layout's device; empty where it models no other stack.
std::string stackAndArchitecture(const Layout& layout) {
    const SoftwareStack* stack = modelledStack(layout);
    const DevicePreset* device = stack ? findDevice(layout.cluster.pace->device) : nullptr;
    return device == nullptr ? "" : fmt::format("{} on {}", stack->name, device->architecture);
}

struct Errors {
    std::vector<double> time, memory;
    void add(const ValidatedRow& row) {
        if (const auto error = row.error()) time.push_back(*error);
        if (const auto error = row.memoryError()) memory.push_back(*error);
    }
};

}  // namespace

std::vector<std::string_view> likenessMethods(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    std::vector<std::string_view> methods;
    if (p.tensor > 1) methods.push_back("tensor groups");
    if (p.pipeline > 1) methods.push_back("a pipeline");
    if (p.context > 1) methods.push_back("context groups");
    if (p.zero == 3) methods.push_back(copyCount(p) > 1 ? "HSDP" : "ZeRO 3");
    if (hasExperts(layout.model)) methods.push_back("experts");
    return methods;
}

std::string likenessOf(const Layout& layout) {
    std::string likeness = stackAndArchitecture(layout);
    if (likeness.empty()) return likeness;
    const std::vector<std::string_view> methods = likenessMethods(layout);
    if (!methods.empty()) likeness += fmt::format(" with {}", fmt::join(methods, ", "));
    return likeness;
}

PublishedGround publishedGround(const Layout& layout, const CsvTable& table) {
    const std::string likeness = likenessOf(layout), wider = stackAndArchitecture(layout);
    Errors alike, ofStack;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        if (stackOfRow(table, i) != layout.cluster.pace->stack) continue;
        const ValidatedRow row = validateRow(table, i);
        if (!row.counts() || !row.seconds || stackAndArchitecture(row.run.layout) != wider) continue;
        ofStack.add(row);
        if (likenessOf(row.run.layout) == likeness) alike.add(row);
    }
    const bool few = alike.time.size() < leastRuns;
    Errors& chosen = few ? ofStack : alike;
    return {few ? wider : likeness, summarizeErrors(std::move(chosen.time)), summarizeErrors(std::move(chosen.memory))};
}

std::string PublishedGround::text() const {
    if (!any()) return fmt::format("no published run of {} says how good this prediction is", likeness);
    const auto within = [](const ErrorSummary& errors) {
        return fmt::format("within {} in the median and {} in nine of ten", formatPercent(errors.median),
                           formatPercent(errors.ninetieth));
    };
    std::string text = fmt::format("{} published run{} of {}: the step {}", time.rows, time.rows == 1 ? "" : "s",
                                   likeness, within(time));
    if (memory.rows > 0) text += fmt::format("; the memory of {} {}", memory.rows, within(memory));
    return text;
}

const std::filesystem::path& publishedRunsFile() {
    static const std::filesystem::path file = resourcesFolder() / "published" / "measurements.csv";
    return file;
}

Result<std::optional<PublishedGround>> publishedGround(const Layout& layout) {
    if (likenessOf(layout).empty()) return std::optional<PublishedGround>();
    const Result<CsvTable> table = CsvTable::read(publishedRunsFile());
    if (!table) return fail(table.error());
    return std::optional(publishedGround(layout, *table));
}

}  // namespace shardlab::predict
