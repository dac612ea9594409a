// SPDX-License-Identifier: Apache-2.0
// What the launcher tells each shardlab-rank on its command line: written by launch, read by app/rank.cpp.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/injected_fault.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::trace {

struct RankArguments {
    std::filesystem::path layout;  ///< layout file with absolute paths, in the job's folder
    std::filesystem::path folder;  ///< the job's folder: <rank>.status, <rank>.flight, <rank>.spool lie here
    std::string socket;            ///< the collector's Unix socket
    std::string token;
    double stretch = 1;                 ///< of a paced run: modelled time × stretch = the time that the ranks take
    std::int64_t clockOrigin = 0;       ///< monotonicNanoseconds() at the run's 0
    std::filesystem::path checkpoints;  ///< the folder that they lie in
    std::filesystem::path resume;       ///< the checkpoint to go on from; empty = from the beginning
    bool oversubscribed = false;        ///< more ranks than cores: waits must sleep, not spin
    int threads = 1;                    ///< compute threads of each rank
    std::vector<InjectedFault> faults;  ///< on purpose, of all ranks
    int operationsEvery = 0;            ///< steps from one to the next whose operations are recorded; 0: none are
    std::filesystem::path profile;  ///< measure the layout's parts before training, and write them here; empty: do not

    /// The folder in a job's folder on some host where the ranks of that restart (0: the first start) have their files.
    static std::filesystem::path attemptFolder(const std::filesystem::path& jobFolder, int restart);

    std::filesystem::path statusFile(int rank) const;
    std::filesystem::path flightFile(int rank) const;
    std::filesystem::path spoolFile(int rank) const;
};

std::vector<std::string> toArgv(const RankArguments& arguments);
Result<RankArguments> parseRankArguments(const std::vector<std::string>& argv);

}  // namespace shardlab::trace
