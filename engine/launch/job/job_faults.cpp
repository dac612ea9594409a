// SPDX-License-Identifier: Apache-2.0
// Faults on purpose, as the launcher handles them: those of the layout, of which ranks tell, and those that a person
// asks for now.
#include "engine/launch/job/job_run.h"

#include "engine/trace/event/event_payload.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::launch {

/// A rank is about to do to itself what the layout says; another start must not bring it back.
void JobRun::takeInjectedFault(const Event& event) {
    const auto found = std::ranges::find_if(faults_, [&](const InjectedFault& fault) {
        return fault.rank == event.rank && faultOf(event) == fault.kind && fault.after <= event.step;
    });
    if (found == faults_.end()) return;
    recording_.logged(
        {event.begin, event.rank, LogLevel::Warning, "on purpose, as /run/faults says: " + toText(*found)});
    if (found->happensOnce()) faults_.erase(found);
}

void JobRun::takeFaultsAsked() {
    for (const FaultRequest& request : requests_.takeFaults()) {
        Event event = launcherEvent(EventKind::Command, recording_.now());
        event.rank = static_cast<std::int16_t>(request.rank);
        event.value = static_cast<double>(Command::InjectFault);
        event.bytes = static_cast<std::int64_t>(request.kind);
        const InjectedFault fault{request.kind, request.rank};
        const std::vector<InjectedFault> there = setup_.world.started(std::span(&fault, 1));
        if (there.empty()) {
            recording_.log(LogLevel::Error, fmt::format("asked for: {}, but there is no such rank at the moment",
                                                        toText(RunRequest(request))));
            continue;
        }
        recording_.eventsArrived({event});
        if (state_ != RunState::Running && state_ != RunState::Paused) {
            recording_.log(LogLevel::Error, fmt::format("asked for: {}, while the ranks are {}: nothing was done",
                                                        toText(RunRequest(request)), name(state_)));
            continue;
        }
        recording_.logged({recording_.now(), request.rank, LogLevel::Warning,
                           "on purpose, as it was asked for: " + std::string(name(request.kind))});
        setup_.collector->strike(there.front().rank, request.kind);
    }
}

/// Takes what another program asks; called some times a second.
void JobRun::takeRequest() {
    const auto asked = takeRunRequest(setup_.runFile);
    const std::string refused = asked ? std::string() : asked.error().text();
    // A request that cannot be removed is met at every look, and told once.
    if (refused != std::exchange(refusedRequest_, refused) && !asked) recording_.log(LogLevel::Error, refused);
    if (!asked || !*asked) return;
    if (const auto* resize = std::get_if<ResizeRequest>(&**asked)) requests_.resize(resize->data);
    else requests_.inject(std::get<FaultRequest>(**asked));
}

}  // namespace shardlab::launch
