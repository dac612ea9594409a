// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/mpi/mpi_progress.h"

#include <chrono>
#include <mpi.h>

namespace shardlab::train {

namespace {

// The pause is far shorter than an action, and long enough to cost a few percent of a core at most.
constexpr std::chrono::microseconds interval{150};

}  // namespace

MpiProgress::MpiProgress() : thread_([this] { run(); }) {}

MpiProgress::~MpiProgress() {
    {
        const std::lock_guard held(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void MpiProgress::started() {
    if (++underWay_ == 1) changed_.notify_one();
}

void MpiProgress::run() {
    std::unique_lock held(mutex_);
    while (!ending_) {
        if (underWay_ == 0) {
            changed_.wait(held);
            continue;
        }
        int found = 0;  // never set: messages are sent on copies of the world, not on the world itself
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        held.unlock();
        std::this_thread::sleep_for(interval);
        held.lock();
    }
}

}  // namespace shardlab::train
