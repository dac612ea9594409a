// SPDX-License-Identifier: Apache-2.0
// Predictions compared with published runs.
#pragma once

#include "engine/predict/evidence/published_run.h"
#include "engine/predict/search/step_estimate.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace shardlab::predict {

struct ValidatedRow {
    PublishedRun run;
    std::optional<double> seconds;  ///< predicted
    std::optional<double> gib;      ///< predicted
    bool fits = false;
    RankMemory memory;  ///< predicted, of the pipeline rank that needs most
    /// Predicted ÷ published − 1; empty where one of the two is missing.
    std::optional<double> error() const;
    std::optional<double> memoryError() const;
    /// Whether the row counts in a summary: quality A or B, and nothing missing but the number format.
    bool counts() const;
};

/// Errors without their sign.
struct ErrorSummary {
    int rows = 0;
    double median = 0;
    double ninetieth = 0;  ///< nine of ten are at most this
    double worst = 0;
    double bias = 0;  ///< median with its sign
};
ErrorSummary summarizeErrors(std::vector<double> errors);

struct ValidationSummary {
    int rows = 0;  ///< that count
    int predicted = 0;
    ErrorSummary time, memory;
    struct OfSource {
        std::string source;
        ErrorSummary time, memory;
    };
    std::vector<OfSource> sources;  ///< by name
};

/// Predicts the step and the memory of one row.
ValidatedRow validateRow(const CsvTable& table, std::size_t row);
/// Predicts the step and the memory of every row. `progress` hears how many rows are done.
std::vector<ValidatedRow> validate(const CsvTable& table, const std::function<void(std::size_t)>& progress = {},
                                   std::stop_token stop = {});
ValidationSummary summarize(const std::vector<ValidatedRow>& rows);
std::string toJson(const std::vector<ValidatedRow>& rows, const ValidationSummary& summary);

}  // namespace shardlab::predict
