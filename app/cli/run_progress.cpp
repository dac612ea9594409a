// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_progress.h"

#include "app/cli/print.h"
#include "engine/base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace shardlab::cli {

namespace {

constexpr std::chrono::seconds plainInterval{5};
constexpr std::size_t mostStepsKept = 512;
constexpr std::ptrdiff_t keptSteps = 64;

}  // namespace

RunProgress::Steps::Steps(const RunHeader& given) : header(given), device(given.stretch), steps(none()) {}

void RunProgress::Steps::add(std::span<const Event> events) {
    steps.add(events);
    for (const Event& event : events) {
        if (event.kind == EventKind::Loss) loss = event.value;
        if (isRestart(event)) restarts.push_back(event);
    }
    const std::vector<StepSummary>& known = steps.steps();
    complete = std::min(complete, known.size());  // a restart takes some away
    while (complete < known.size() && known[complete].complete) ++complete;
    if (known.size() > mostStepsKept) forgetOld();
}

void RunProgress::Steps::forgetOld() {
    Summarizer recent = none();
    recent.add(restarts);
    const std::vector<StepSummary>& known = steps.steps();
    for (auto step = known.end() - keptSteps; step != known.end(); ++step) recent.put(*step);
    steps = std::move(recent);
    complete = 0;
    while (complete < steps.steps().size() && steps.steps()[complete].complete) ++complete;
}

void RunProgress::begun(const RunHeader& header) {
    const std::lock_guard lock(mutex_);
    run_.emplace(header);
}

void RunProgress::stateChanged(RunState state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
}

void RunProgress::eventsArrived(std::span<const Event> events) {
    const std::lock_guard lock(mutex_);
    run_->add(events);
}

void RunProgress::logged(const LogLine& line) {
    if (line.level == LogLevel::Info) return;
    const std::lock_guard lock(mutex_);
    messages_.push_back(line.rank < 0 ? line.text : fmt::format("rank {}: {}", line.rank, line.text));
}

void RunProgress::ended(const RunEnd& end) {
    const std::lock_guard lock(mutex_);
    end_ = end;
}

void RunProgress::statusChanged(const WatchStatus& status) {
    const std::lock_guard lock(mutex_);
    link_ = status;
}

std::optional<RunEnd> RunProgress::end() const {
    const std::lock_guard lock(mutex_);
    return end_;
}

WatchStatus RunProgress::status() const {
    const std::lock_guard lock(mutex_);
    return link_;
}

std::string RunProgress::line() const {
    if (run_->complete == 0)
        return fmt::format("{} {} ranks", name(state_), state_ == RunState::Starting ? "the" : "on");
    const StepSummary& step = run_->steps.steps()[run_->complete - 1];
    const std::string loss = !run_->loss                  ? "–"
                             : std::isfinite(*run_->loss) ? fmt::format("{:.4f}", *run_->loss)
                                                          : "not finite";
    const std::string idle = step.computes() ? formatPercent(step.bubble) : "–";
    const double seconds = run_->device.seconds(step.seconds);
    if (!run_->header.hasLayout())
        return fmt::format("{} steps  loss {}  idle {}  {} a step", step.step + 1, loss, idle, formatSeconds(seconds));
    const Layout& layout = run_->header.layout;
    const bool ours = run_->header.origin.empty();  // another program does as many steps as it likes
    return fmt::format("{}{} steps  loss {}  {} {}/s  bubble {}  {} a step{}{}", step.step + 1,
                       ours ? fmt::format(" of {}", layout.run.steps) : std::string(), loss,
                       formatCount(static_cast<double>(tokensPerStep(layout)) / seconds), countedInputs(layout.model),
                       idle, formatSeconds(seconds), run_->device.isClock() ? "" : "  " + run_->device.text().english(),
                       state_ == RunState::Stopping ? "  stopping" : "");
}

void RunProgress::clearLine() {
    if (terminal_ && !shown_.empty()) std::fputs("\r\x1b[K", stderr);
    shown_.clear();
}

void RunProgress::showLink() {
    if (std::exchange(shownLink_, link_.state) == link_.state) return;
    if (link_.state == WatchStatus::State::CatchingUp)
        printNote("connected: " + (link_.reason.empty() ? "catching up" : link_.reason.english()));
    if (link_.state == WatchStatus::State::Lost) printNote(link_.reason.english() + "; trying again");
}

void RunProgress::show() {
    const std::lock_guard lock(mutex_);
    showLink();
    if (link_.state != WatchStatus::State::Lost) showRun();
}

void RunProgress::showRun() {
    if (!run_) return;
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
    const std::lock_guard lock(mutex_);
    shownAt_ = {};
    showLink();
    showRun();
    if (terminal_ && !shown_.empty()) std::fputc('\n', stderr);
    shown_.clear();
}

}  // namespace shardlab::cli
