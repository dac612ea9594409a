// SPDX-License-Identifier: Apache-2.0
// What a rank is doing right now, in a small file mapped by the rank and read by the launcher. It outlives the rank:
// after SIGKILL the launcher still knows step and action.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/schedule/action.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace shardlab::trace {

enum class RankPhase : std::uint8_t {
    Starting,
    Setup,
    Compute,
    Waiting,
    Communicating,
    BetweenSteps,
    Paused,
    Validating,
    Finished,
    Checkpointing,
};
std::string_view name(RankPhase phase);

struct RankStatus {
    int pid = 0;
    RankPhase phase = RankPhase::Starting;
    std::int32_t step = -1;
    ActionId action = 0;
    int peer = -1;               ///< rank waited for, where waiting
    std::int64_t heartbeat = 0;  ///< run clock, nanoseconds, of the last change
    std::uint64_t pulse = 0;     ///< counted on while the process runs at all, whatever it does; written by beat() only
};

/// The rank's side.
class StatusPage {
public:
    static Result<StatusPage> create(const std::filesystem::path& file);
    StatusPage(StatusPage&&) noexcept;
    StatusPage& operator=(StatusPage&&) noexcept;
    ~StatusPage();
    void set(const RankStatus& status);
    /// From another thread, several times a second: this process is neither stopped nor gone.
    void beat();

private:
    struct Mapping;
    explicit StatusPage(std::unique_ptr<Mapping> mapping);
    std::unique_ptr<Mapping> mapping_;
};

/// The launcher's side. Error where the file is not there yet or not a status page.
Result<RankStatus> readStatus(const std::filesystem::path& file);

}  // namespace shardlab::trace
