// SPDX-License-Identifier: Apache-2.0
// A whole layout in one process: every rank a thread, joined by a loopback world.
#pragma once

#include "engine/train/comm/loopback/loopback.h"
#include "kernels/threads.h"
#include "tests/support/wings.h"

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shardlab::test {

/// Runs `body(rank, world)` on a thread per rank. Kernels use that thread alone, and the caller's for a model to
/// compare with. A rank that throws fails the others too; returns the first error.
inline std::string runRanks(int ranks, const std::function<void(int, Communicator&)>& body) {
    setKernelThreads(1);
    LoopbackWorld world(ranks);
    std::mutex mutex;
    std::string firstError;
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            setKernelThreads(1);  // a number that each thread has for itself
            try {
                const auto communicator = world.communicator(rank);
                body(rank, *communicator);
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                if (firstError.empty()) firstError = "rank " + std::to_string(rank) + ": " + error.what();
                world.fail(firstError);
            }
        });
    threads.clear();
    return firstError;
}

}  // namespace shardlab::test
