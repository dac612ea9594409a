// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/run_control.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace shardlab {

namespace {

/// Tells or hears rank 0's decision; `patient`: sleeps while it waits, whatever the backend's own way of waiting.
Decision share(Communicator& world, Decision decision, bool patient) {
    const RequestPtr told = world.ibroadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
    if (patient)
        while (!told->test()) std::this_thread::sleep_for(pausedPoll);
    else told->wait();
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
        case Command::InjectFault: break;  // the launcher's
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

void Foresight::finish() {
    for (std::list<Word>* words : {&words_, &told_})
        for (Word& word : *words)
            for (const RequestPtr& message : word.messages) message->wait();
}

Decision Foresight::next(const std::function<void()>& paused) {
    Decision decision = words_.size() == ahead_ && ahead_ > 0 ? take() : Decision::Pause;
    met_ = decision != Decision::Run;
    if (decision == Decision::Checkpoint) return decision;
    if (met_) decision = agree(world_, control_, paused);
    if (decision == Decision::Run && ahead_ > 0) give();
    return decision;
}

// From rank 0 to each: what ranks hand on to others would be late where they look at it only at their own borders.
void Foresight::give() {
    constexpr int tag = 0;
    Word& word = words_.emplace_back();
    if (world_.rank() != 0) {
        word.messages.push_back(world_.ireceive(std::as_writable_bytes(std::span(&word.decision, 1)), 0, tag));
        return;
    }
    word.decision = control_.next();
    for (int rank = 1; rank < world_.size(); ++rank)
        word.messages.push_back(world_.isend(std::as_bytes(std::span(&word.decision, 1)), rank, tag));
}

Decision Foresight::take() {
    std::erase_if(told_, [](Word& word) {
        return std::ranges::all_of(word.messages, [](const RequestPtr& message) { return message->test(); });
    });
    told_.splice(told_.end(), words_, words_.begin());
    Word& word = told_.back();
    if (world_.rank() != 0)
        for (const RequestPtr& message : word.messages) message->wait();
    return word.decision;
}

}  // namespace shardlab
