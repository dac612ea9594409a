// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/validation.h"

#include "engine/layout/stacks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace shardlab::predict {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;

std::optional<double> relative(const std::optional<double>& predicted, const std::optional<double>& published) {
    if (!predicted || !published || *published <= 0) return std::nullopt;
    return *predicted / *published - 1;
}

/// Predicted bytes by the definition of the source: what the allocator gave out or holds, or what the device shows.
double asMeasured(const PublishedRun& run, const MemoryEstimate& memory) {
    const SoftwareStack* stack = modelledStack(run.layout);
    const std::string& how = run.memoryDefinition;
    const auto says = [&](const char* word) { return how.find(word) != std::string::npos; };
    if (stack == nullptr) return static_cast<double>(memory.neededBytes);
    if (says("max_memory_allocated")) return static_cast<double>(memory.worst.peak);
    // nvidia-smi shows the devices of one host; where nothing is said of others, it is the first stage's.
    const bool shown = says("nvidia-smi") || says("GPU memory");
    const bool ofFirst = says("nvidia-smi") && !says("max");
    const auto reserved = static_cast<double>(ofFirst ? memory.firstReservedBytes : memory.reservedBytes);
    return shown ? reserved + stack->contextBytes : reserved;
}

nlohmann::ordered_json orNull(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// GiB of each category at its own peak, and of what the update takes in passing.
nlohmann::ordered_json partsJson(const RankMemory& memory) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::object();
    for (int i = 0; i < memoryCategoryCount; ++i)
        parts[std::string(name(static_cast<MemoryCategory>(i)))] =
            static_cast<double>(memory.bytes[static_cast<std::size_t>(i)]) / gibibyte;
    parts["update"] = static_cast<double>(memory.update) / gibibyte;
    parts["cached"] = static_cast<double>(memory.cached) / gibibyte;
    parts["computing"] = static_cast<double>(memory.computing) / gibibyte;
    parts["peak"] = static_cast<double>(memory.peak) / gibibyte;
    return parts;
}

nlohmann::ordered_json summaryJson(const ErrorSummary& errors) {
    return {{"rows", errors.rows},
            {"median", errors.median},
            {"ninetieth", errors.ninetieth},
            {"worst", errors.worst},
            {"bias", errors.bias}};
}

}  // namespace

std::optional<double> ValidatedRow::error() const { return relative(seconds, run.seconds); }
std::optional<double> ValidatedRow::memoryError() const { return relative(gib, run.gib); }
bool ValidatedRow::counts() const {
    return (run.quality == 'A' || run.quality == 'B') && (run.missing.empty() || run.missing == "precision");
}

ErrorSummary summarizeErrors(std::vector<double> errors) {
    if (errors.empty()) return {};
    const auto at = [&](double share) { return errors[static_cast<std::size_t>(share * double(errors.size() - 1))]; };
    ErrorSummary summary;
    summary.rows = static_cast<int>(errors.size());
    std::ranges::sort(errors);
    summary.bias = at(0.5);
    for (double& error : errors) error = std::abs(error);
    std::ranges::sort(errors);
    summary.median = at(0.5);
    summary.ninetieth = at(0.9);
    summary.worst = errors.back();
    return summary;
}

ValidatedRow validateRow(const CsvTable& table, std::size_t index) {
    ValidatedRow row{publishedRun(table, index), {}, {}, false, {}};
    if (!row.run.refused.empty()) return row;
    const StepEstimate estimate = StepEstimator(row.run.layout).estimate(choiceOf(row.run.layout));
    row.seconds = estimate.stepSeconds;
    row.gib = asMeasured(row.run, estimate.memory) / gibibyte;
    row.fits = estimate.memory.fits();
    row.memory = estimate.memory.worst;
    return row;
}

std::vector<ValidatedRow> validate(const CsvTable& table, const std::function<void(std::size_t)>& progress,
                                   std::stop_token stop) {
    std::vector<ValidatedRow> rows;
    rows.reserve(table.rows());
    for (std::size_t i = 0; i < table.rows() && !stop.stop_requested(); ++i) {
        rows.push_back(validateRow(table, i));
        if (progress) progress(i + 1);
    }
    return rows;
}

ValidationSummary summarize(const std::vector<ValidatedRow>& rows) {
    ValidationSummary summary;
    struct Errors {
        std::vector<double> time, memory;
    };
    Errors all;
    std::map<std::string, Errors> bySource;
    for (const ValidatedRow& row : rows) {
        if (!row.counts()) continue;
        ++summary.rows;
        if (row.run.refused.empty()) ++summary.predicted;
        Errors& ofSource = bySource[row.run.source];
        if (const auto error = row.error()) all.time.push_back(*error), ofSource.time.push_back(*error);
        if (const auto error = row.memoryError()) all.memory.push_back(*error), ofSource.memory.push_back(*error);
    }
    summary.time = summarizeErrors(std::move(all.time));
    summary.memory = summarizeErrors(std::move(all.memory));
    for (auto& [source, errors] : bySource)
        summary.sources.push_back(
            {source, summarizeErrors(std::move(errors.time)), summarizeErrors(std::move(errors.memory))});
    return summary;
}

std::string toJson(const std::vector<ValidatedRow>& rows, const ValidationSummary& summary) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ValidatedRow& row : rows) {
        const bool refused = !row.run.refused.empty();
        list.push_back(
            {{"id", row.run.id},
             {"source", row.run.source},
             {"stack", row.run.layout.cluster.pace ? row.run.layout.cluster.pace->stack : ""},
             {"counts", row.counts()},
             {"measured_seconds", orNull(row.run.seconds)},
             {"predicted_seconds", orNull(row.seconds)},
             {"error", orNull(row.error())},
             {"measured_gib", orNull(row.run.gib)},
             {"predicted_gib", orNull(row.gib)},
             {"memory_error", orNull(row.memoryError())},
             {"predicted_parts_gib", refused ? nlohmann::ordered_json(nullptr) : partsJson(row.memory)},
             {"fits", refused ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.fits)},
             {"refused", refused ? nlohmann::ordered_json(row.run.refused) : nlohmann::ordered_json(nullptr)}});
    }
    nlohmann::ordered_json sources = nlohmann::ordered_json::array();
    for (const auto& source : summary.sources)
        sources.push_back(
            {{"source", source.source}, {"time", summaryJson(source.time)}, {"memory", summaryJson(source.memory)}});
    return nlohmann::ordered_json{{"rows", std::move(list)},
                                  {"summary",
                                   {{"rows", summary.rows},
                                    {"predicted", summary.predicted},
                                    {"time", summaryJson(summary.time)},
                                    {"memory", summaryJson(summary.memory)},
                                    {"sources", std::move(sources)}}}}
        .dump(1);
}

}  // namespace shardlab::predict
