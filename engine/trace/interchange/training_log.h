// SPDX-License-Identifier: Apache-2.0
// What programs print of the steps that they train: a line a step, with names and numbers. Megatron-LM,
// Megatron-Bridge, NeMo, torchtitan, DeepSpeed, nanotron, llm.c and nanoGPT separate and name them differently, and
// mean the same.
#pragma once

#include "engine/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

enum class LogQuantity : std::uint8_t {
    StepSeconds,  ///< of one step, the mean since the line before
    Loss,
    ValidationLoss,
    GradientNorm,
    LearningRate,
    LossScale,
    TokensPerSecond,  ///< of all devices
    PeakBytes,
    Samples,  ///< of a step, of all replicas
    Skipped,  ///< steps since the line before that changed no weight
};
inline constexpr std::size_t logQuantityCount = 10;

struct LogNumber {
    std::string name;  ///< as the line has it
    double value = 0;
};

/// What a line says of a step.
struct StepLine {
    std::int32_t step = 0;              ///< as the program counts
    std::optional<int> rank;            ///< "[rank3]:"
    std::optional<std::int64_t> clock;  ///< nanoseconds from 1970, of the date and time that the line begins with
    std::vector<LogNumber> others;      ///< numbers without a quantity of their own, in the order of the line

    std::optional<double>& operator[](LogQuantity quantity) { return known_[static_cast<std::size_t>(quantity)]; }
    const std::optional<double>& operator[](LogQuantity quantity) const {
        return known_[static_cast<std::size_t>(quantity)];
    }

private:
    std::array<std::optional<double>, logQuantityCount> known_;
};

/// A number by its name, in small letters or not, as it stands without a unit beside it.
void putNumber(StepLine& line, std::string_view name, double value);

/// None: the line does not say which step it is of, or neither its loss nor how long it took. Colours of a terminal in
/// the line do not count.
std::optional<StepLine> readStepLine(std::string_view line);

/// "[Rank 3] (after 1 iterations) memory (MB) | allocated: 9334.4 | max allocated: 10606.5 | …"; bytes.
struct MemoryLine {
    int rank = 0;
    std::int64_t allocated = 0, peakAllocated = 0, reserved = 0, peakReserved = 0;
};
/// Ranks print at the same time, so that one line may hold several.
std::vector<MemoryLine> readMemoryLines(std::string_view line);

/// "    forward-backward ...............: (812.50, 813.25)", as Megatron's timers are printed behind a step: the least
/// and the most milliseconds of all ranks, or the most alone.
std::vector<LogNumber> readTimerLine(std::string_view line);

/// Milliseconds of one rank, as Megatron's timers are printed behind a step where each rank's are asked for.
struct RankTimer {
    std::string name;
    int rank = 0;
    double milliseconds = 0;
};
/// Reads "times across ranks (ms):", and behind it "  forward-backward:" and "     rank  3: 812.50", line by line.
class RankTimerReader {
public:
    /// What the line tells, where it is one of these.
    std::optional<RankTimer> read(std::string_view line);

private:
    bool within_ = false;
    std::string name_;
};

/// A line of the first few MiB of the file says something of a step; of a file that begins as JSON does, a line that is
/// an object. False where the file cannot be read.
bool looksLikeTrainingLog(const std::filesystem::path& file);

}  // namespace shardlab::trace
