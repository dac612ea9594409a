// SPDX-License-Identifier: Apache-2.0
// Where figures of steps lie, in packed blocks: memory, or the tables of a run file
// (engine/trace/run_file/database_shelf.h).
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace shardlab::trace {

/// The tables `step` and `rank_step` of resources/manual/70-run-file.md.
enum class FigureTable : std::uint8_t { Steps, RankSteps };

/// The steps that a row of the table `step` holds.
inline constexpr int stepsPerOverview = 1024;
/// The steps that a row of the table `rank_step` holds: as many as give 256 rows of a rank, or one step.
constexpr int stepsPerBlock(int ranks) { return ranks <= 1 ? 256 : ranks >= 256 ? 1 : 256 / ranks; }

struct PackedFigures {
    int first = 0;  ///< step with which the block begins, were every step there; its key
    Bytes data;
};

class MetricStore {
public:
    virtual ~MetricStore() = default;
    /// The block with the smallest key from `first` on; none after the last.
    virtual Result<std::optional<PackedFigures>> from(FigureTable table, int first) = 0;
    /// Replaces the block of this key; no data takes it away.
    virtual Status put(FigureTable table, int first, std::span<const std::byte> data) = 0;
    /// Takes away every block whose key is `first` or later.
    virtual Status dropFrom(FigureTable table, int first) = 0;
};

class MemoryShelf final : public MetricStore {
public:
    Result<std::optional<PackedFigures>> from(FigureTable table, int first) override;
    Status put(FigureTable table, int first, std::span<const std::byte> data) override;
    Status dropFrom(FigureTable table, int first) override;

private:
    std::map<int, Bytes>& blocks(FigureTable table) { return tables_[static_cast<std::size_t>(table)]; }
    std::array<std::map<int, Bytes>, 2> tables_;
};

}  // namespace shardlab::trace
