// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/run_control.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace shardlab::train {

namespace {

/// Sends or receives rank 0's decision. `patient`: sleeps while it waits, however the backend waits.
Decision share(Communicator& world, Decision decision, bool patient) {
    const RequestPtr sent = world.ibroadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
    if (patient)
        while (!sent->test()) std::this_thread::sleep_for(pausedPoll);
    else sent->wait();
    return decision;
}

}  // namespace

Decision RunControl::next() {
    for (Command command = take_ ? take_() : Command::None; command != Command::None; command = take_()) {
        switch (command) {
        case Command::Pause: paused_ = true; break;
        case Command::Resume: paused_ = false; break;
        case Command::StepOnce:
            paused_ = true;
            ++singleSteps_;
            break;
        case Command::Stop: stopped_ = true; break;
        case Command::Checkpoint: checkpoint_ = true; break;
        case Command::Resize:
        case Command::InjectFault: break;  // the launcher obeys it
        case Command::None: break;
        }
        if (command == Command::Resume || command == Command::Pause) singleSteps_ = 0;
    }
    if (std::exchange(checkpoint_, false)) return Decision::Checkpoint;
    if (stopped_) return Decision::Stop;
    if (!paused_) return Decision::Run;
    if (singleSteps_ == 0) return Decision::Pause;
    --singleSteps_;
    return Decision::Run;
}

Decision agree(Communicator& world, RunControl& control, const std::function<void()>& paused) {
    const bool leads = world.rank() == 0;
    Decision decision = share(world, leads ? control.next() : Decision::Run, false);
    if (decision != Decision::Pause) return decision;
    paused();
    while (decision == Decision::Pause) {
        if (leads)
            while ((decision = control.next()) == Decision::Pause) std::this_thread::sleep_for(pausedPoll);
        decision = share(world, decision, true);
    }
    return decision;
}

void EarlyDecisions::finish() {
    for (std::list<Announcement>* announcements : {&coming_, &taken_})
        for (Announcement& announcement : *announcements)
            for (const RequestPtr& message : announcement.messages) message->wait();
}

Decision EarlyDecisions::next(const std::function<void()>& paused) {
    Decision decision = coming_.size() == ahead_ && ahead_ > 0 ? take() : Decision::Pause;
    met_ = decision != Decision::Run;
    if (decision == Decision::Checkpoint) return decision;
    if (met_) decision = agree(world_, control_, paused);
    if (decision == Decision::Run && ahead_ > 0) announce();
    return decision;
}

// Rank 0 sends to each rank by itself: a rank looks at messages only at its own boundaries, and would pass them on
// late.
void EarlyDecisions::announce() {
    constexpr int tag = 0;
    Announcement& announcement = coming_.emplace_back();
    if (world_.rank() != 0) {
        announcement.messages.push_back(
            world_.ireceive(std::as_writable_bytes(std::span(&announcement.decision, 1)), 0, tag));
        return;
    }
    announcement.decision = control_.next();
    for (int rank = 1; rank < world_.size(); ++rank)
        announcement.messages.push_back(world_.isend(std::as_bytes(std::span(&announcement.decision, 1)), rank, tag));
}

Decision EarlyDecisions::take() {
    std::erase_if(taken_, [](Announcement& announcement) {
        return std::ranges::all_of(announcement.messages, [](const RequestPtr& message) { return message->test(); });
    });
    taken_.splice(taken_.end(), coming_, coming_.begin());
    Announcement& announcement = taken_.back();
    if (world_.rank() != 0)
        for (const RequestPtr& message : announcement.messages) message->wait();
    return announcement.decision;
}

}  // namespace shardlab::train
