// SPDX-License-Identifier: Apache-2.0
// Faults on purpose, the launcher's side: those of the layout as ranks tell of them, and those that a person asks for
// now.
#include "engine/launch/job/job_run.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab {

void JobRun::inject(const FaultRequest& request) {
    const std::lock_guard lock(mutex_);
    faultsAsked_.push_back(request);
}

/// A rank is about to do to itself what the layout says; another start must not bring it back.
void JobRun::takeInjectedFault(const Event& event) {
    const auto found = std::ranges::find_if(faults_, [&](const InjectedFault& fault) {
        return fault.rank == event.rank && static_cast<std::int64_t>(fault.kind) == event.bytes &&
               fault.after <= event.step;
    });
    if (found == faults_.end()) return;
    recording_.log({event.begin, event.rank, LogLevel::Warning, "on purpose, as /run/faults says: " + toText(*found)});
    if (found->happensOnce()) faults_.erase(found);
}

void JobRun::takeFaultsAsked() {
    std::vector<FaultRequest> asked;
    {
        const std::lock_guard lock(mutex_);
        asked.swap(faultsAsked_);
    }
    for (const FaultRequest& request : asked) {
        Event event;
        event.begin = event.end = recording_.now();
        event.rank = static_cast<std::int16_t>(request.rank);
        event.lane = Lane::Host;
        event.kind = EventKind::Command;
        event.value = static_cast<double>(Command::InjectFault);
        event.bytes = static_cast<std::int64_t>(request.kind);
        const InjectedFault fault{request.kind, request.rank};
        const std::vector<InjectedFault> there = setup_.world.started(std::span(&fault, 1));
        if (there.empty()) {
            recording_.log(LogLevel::Error, fmt::format("asked for: {}, but there is no such rank at the moment",
                                                        toText(RunRequest(request))));
            continue;
        }
        recording_.events({event});
        if (state_ != RunState::Running && state_ != RunState::Paused) {
            recording_.log(LogLevel::Error, fmt::format("asked for: {}, while the ranks are {}: nothing was done",
                                                        toText(RunRequest(request)), name(state_)));
            continue;
        }
        recording_.log({recording_.now(), request.rank, LogLevel::Warning,
                        "on purpose, as it was asked for: " + std::string(name(request.kind))});
        setup_.collector->strike(there.front().rank, request.kind);
    }
}

/// What another program asks, some times a second.
void JobRun::takeRequest() {
    const auto asked = takeRunRequest(setup_.runFile);
    const std::string refused = asked ? std::string() : asked.error().text();
    // What cannot be removed is met at every look, and told once.
    if (refused != std::exchange(refusedRequest_, refused) && !asked) recording_.log(LogLevel::Error, refused);
    if (!asked || !*asked) return;
    if (const auto* resize = std::get_if<ResizeRequest>(&**asked)) resizeAsked_ = resize->data;
    else inject(std::get<FaultRequest>(**asked));
}

}  // namespace shardlab
