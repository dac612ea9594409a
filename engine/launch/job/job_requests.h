// SPDX-License-Identifier: Apache-2.0
// What the owner of a job asks of it: from any thread, until the job's thread takes it.
#pragma once

#include "engine/launch/job/run_request.h"
#include "engine/trace/event/event.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace shardlab::launch {

class JobRequests {
public:
    void send(Command command) { add(commands_, command); }
    void inject(const FaultRequest& request) { add(faults_, request); }
    /// Only the last number of replicas counts.
    void resize(int data) { replicas_ = data; }
    /// Ends all ranks at once; once they have ended, sends viewers away.
    void kill() {
        killed_ = true;
        if (ranksEnded_) leaveViewers_ = true;
    }
    /// The owner goes away, and waits for nobody.
    void abandon() { abandoned_ = leaveViewers_ = true; }
    /// The ranks have ended, and viewers still take the rest.
    void ranksEnded() { ranksEnded_ = true; }

    std::vector<Command> takeCommands() { return take(commands_); }
    std::vector<FaultRequest> takeFaults() { return take(faults_); }
    int takeReplicas() { return replicas_.exchange(0); }  ///< 0: nothing was asked
    bool killed() const { return killed_; }
    bool abandoned() const { return abandoned_; }
    /// Viewers do not get what they have not taken by now.
    const std::atomic<bool>& leaveViewers() const { return leaveViewers_; }

private:
    template <class T>
    void add(std::vector<T>& requests, const T& request) {
        const std::lock_guard lock(mutex_);
        requests.push_back(request);
    }
    template <class T>
    std::vector<T> take(std::vector<T>& requests) {
        const std::lock_guard lock(mutex_);
        return std::exchange(requests, {});
    }

    std::mutex mutex_;  ///< guards the next two
    std::vector<Command> commands_;
    std::vector<FaultRequest> faults_;
    std::atomic<int> replicas_ = 0;
    std::atomic<bool> killed_ = false;
    std::atomic<bool> abandoned_ = false;
    std::atomic<bool> ranksEnded_ = false;
    std::atomic<bool> leaveViewers_ = false;
};

}  // namespace shardlab::launch
