// SPDX-License-Identifier: Apache-2.0
// Tells an observer what the rows of a run (run_rows.h) say.
#pragma once

#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_observer.h"
#include "engine/trace/run_file/run_rows.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::trace {

class RowDecoder final : public RowSink {
public:
    explicit RowDecoder(RunObserver& observer) : observer_(observer) {}

    void meta(std::string_view key, std::string_view value) override;
    void rank(const RankRecord& record) override;
    void log(std::int64_t id, const LogLine& line) override;
    void name(std::int64_t number, std::string_view text) override;
    void block(const BlockPart& part) override;

    /// How the run ended, where its rows say so; there may be further rows.
    const std::optional<RunEnd>& end() const { return end_; }
    /// The first row that could not be understood; nothing is handed over after it.
    const std::optional<Error>& error() const { return error_; }

private:
    bool ready(const char* what);
    void refuse(Sentence why);

    RunObserver& observer_;
    BlockUnpacker unpacker_;
    std::vector<Event> events_;
    std::vector<std::pair<std::string, std::string>> early_;  ///< rows of meta that came before the header
    std::optional<std::string> header_, layout_;
    bool begun_ = false;
    std::optional<RunEnd> end_;
    std::optional<Error> error_;
};

}  // namespace shardlab::trace
