// SPDX-License-Identifier: Apache-2.0
// Figures of steps in the tables of a run file.
#pragma once

#include "engine/trace/metrics/metric_store.h"
#include "engine/trace/run_file/sqlite.h"
#include "engine/trace/run_file/table_seals.h"

#include <filesystem>
#include <utility>

namespace shardlab::trace {

/// The database must outlive it; `file` is what errors name. Who writes gives it the seals of the tables.
class DatabaseShelf final : public MetricStore {
public:
    DatabaseShelf(Database& database, std::filesystem::path file, TableSeals* seals = nullptr)
        : database_(database), file_(std::move(file)), seals_(seals) {}
    Result<std::optional<PackedFigures>> from(FigureTable table, int first) override;
    Status put(FigureTable table, int first, std::span<const std::byte> data) override;
    Status dropFrom(FigureTable table, int first) override;

private:
    Database& database_;
    std::filesystem::path file_;
    TableSeals* seals_;
};

}  // namespace shardlab::trace
