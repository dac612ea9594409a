// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_progress.h"

#include "app/cli/print.h"
#include "engine/base/units.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace shardlab::cli {

namespace {

constexpr std::chrono::seconds plainInterval{5};

}  // namespace

RunProgress::RunProgress(const Layout& layout, DeviceTime device, bool terminal, bool planned)
    : stepsAsked_(layout.run.steps), tokens_(tokensPerStep(layout)), counted_(countedInputs(layout.model)),
      device_(device), terminal_(terminal), planned_(planned),
      steps_(rankCount(layout), flushes(layout), SentBytes(layout)) {}

void RunProgress::stateChanged(JobState state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
}

void RunProgress::eventsArrived(std::span<const Event> events) {
    const std::lock_guard lock(mutex_);
    steps_.add(events);
    for (const Event& event : events)
        if (event.kind == EventKind::Loss) loss_ = event.value;
    completeSteps_ = std::min(completeSteps_, steps_.steps().size());  // a restart takes some away
    while (completeSteps_ < steps_.steps().size() && steps_.steps()[completeSteps_].complete) ++completeSteps_;
}

void RunProgress::logged(const LogLine& line) {
    if (line.level == LogLevel::Info) return;
    const std::lock_guard lock(mutex_);
    messages_.push_back(line.rank < 0 ? line.text : fmt::format("rank {}: {}", line.rank, line.text));
}

std::string RunProgress::line() const {
    if (completeSteps_ == 0)
        return fmt::format("{} {} ranks", name(state_), state_ == JobState::Starting ? "the" : "on");
    const StepSummary& step = steps_.steps()[completeSteps_ - 1];
    const std::string loss = !loss_ ? "–" : std::isfinite(*loss_) ? fmt::format("{:.4f}", *loss_) : "not finite";
    const double seconds = device_.seconds(step.seconds);
    if (!planned_)
        return fmt::format("{} steps  loss {}  idle {}  {} a step", step.step + 1, loss, formatPercent(step.bubble),
                           formatSeconds(seconds));
    return fmt::format("{} of {} steps  loss {}  {} {}/s  bubble {}  {} a step{}{}", step.step + 1, stepsAsked_, loss,
                       formatCount(static_cast<double>(tokens_) / seconds), counted_, formatPercent(step.bubble),
                       formatSeconds(seconds), device_.isClock() ? "" : "  " + device_.text(),
                       state_ == JobState::Stopping ? "  stopping" : "");
}

void RunProgress::clearLine() {
    if (terminal_ && !shown_.empty()) std::fputs("\r\x1b[K", stderr);
    shown_.clear();
}

void RunProgress::show() {
    const std::lock_guard lock(mutex_);
    if (!messages_.empty()) clearLine();
    for (const std::string& message : messages_) printNote(message);
    messages_.clear();

    const std::string text = line();
    const auto now = std::chrono::steady_clock::now();
    if (text == shown_ || (!terminal_ && now - shownAt_ < plainInterval)) return;
    std::fprintf(stderr, terminal_ ? "\r\x1b[K%s" : "%s\n", text.c_str());
    std::fflush(stderr);
    shown_ = text;
    shownAt_ = now;
}

void RunProgress::close() {
    shownAt_ = {};
    show();
    if (terminal_ && !shown_.empty()) std::fputc('\n', stderr);
    shown_.clear();
}

}  // namespace shardlab::cli
