// SPDX-License-Identifier: Apache-2.0
// Reads a run file that may still be recorded, by this or another process, from any position on. Each step is one short
// read of a consistent state; its writer never waits for it.
#pragma once

#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/run_rows.h"
#include "engine/trace/run_file/sqlite.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::trace {

/// How far one reader has come.
struct RunCursor {
    RunPosition place;
    // What follows is not part of a position: after a break it is told again.
    std::map<std::string, std::int64_t> metaSeen;  ///< checksums
    std::map<std::int64_t, std::int64_t> ranksSeen;
    std::optional<std::int64_t> complete;  ///< the state of the file up to which nothing is left
};

class RunFollower {
public:
    /// `file` has just been written, or is being written, in the newest format.
    static Result<RunFollower> open(const std::filesystem::path& file);

    /// Gives `sink` what follows on `cursor`, and moves it: header and ranks first, predicted events before measured
    /// ones, each lane in its order, restarts before what was done after them. Stops after about `most` bytes. True:
    /// more is there already. Error: the file is damaged, or `cursor` is not of this run.
    Result<bool> step(RunCursor& cursor, std::size_t most, RowSink& sink);

    /// The number of the block begun last; 0 where there is none. With a position's, how much is left to read.
    Result<std::int64_t> newestBlock();

private:
    explicit RunFollower(std::filesystem::path file, Database database)
        : file_(std::move(file)), database_(std::move(database)) {}

    struct Step;  ///< one step's sink and what is left of its budget
    Status prepareAll();
    Result<bool> readAll(RunCursor& cursor, Step& step);
    Status readMeta(RunCursor& cursor, Step& step);
    Status readRanks(RunCursor& cursor, Step& step);
    Status readNames(RunCursor& cursor, Step& step);
    Status readLog(RunCursor& cursor, Step& step);
    Status readGrown(RunCursor& cursor, Step& step);
    Status readNew(RunCursor& cursor, EventSource source, Step& step);
    Status give(const Statement& row, RunCursor& cursor, Step& step);
    Status finished(int code, const Sentence& what);

    std::filesystem::path file_;
    Database database_;
    std::vector<Statement> statements_;  ///< in the order of their numbers in run_follower.cpp
    BlockUnpacker unpacker_;
    BlockPacker packer_;
    std::vector<Event> events_;
};

}  // namespace shardlab::trace
