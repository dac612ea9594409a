// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run file, read when they are needed.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "ui/store/block_source.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

class RunBlockSource final : public BlockSource {
public:
    /// Error: the table of blocks cannot be read.
    static Result<std::shared_ptr<RunBlockSource>> make(std::unique_ptr<RunReader> reader, std::filesystem::path file);

    RunBlockSource(std::unique_ptr<RunReader> reader, std::filesystem::path file, std::vector<BlockPlace> places);

    /// The places of the blocks, ascending by id, which is the key.
    std::span<const BlockPlace> places() const { return places_; }
    /// What was found wrong with the table of blocks, or the file.
    const std::optional<Error>& damage() const { return damage_; }
    Status read(BlockKey key, std::vector<Event>& events) override;

private:
    /// The packed bytes, and what unpacks them; the file is read by one thread at a time, blocks are unpacked by many.
    Result<std::pair<Bytes, std::unique_ptr<BlockUnpacker>>> fetch(const BlockPlace& place);

    std::filesystem::path file_;
    std::vector<BlockPlace> places_;
    std::optional<Error> damage_;
    std::mutex mutex_;  ///< guards what follows
    std::unique_ptr<RunReader> reader_;
    std::vector<std::unique_ptr<BlockUnpacker>> idle_;
};

}  // namespace shardlab::ui
