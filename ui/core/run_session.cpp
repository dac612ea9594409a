// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_session.h"

#include "engine/launch/job/run_header.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/job_relay.h"
#include "ui/core/run_model.h"
#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace shardlab {
namespace {

/// News are gathered this long before the views hear of them: at most some 40 repaints a second.
constexpr int gatherJobMilliseconds = 25;

}  // namespace

struct RunSession::Slot {
    explicit Slot(std::function<void()> wake) : relay(std::move(wake)) {}
    JobRelay relay;  // outlives job
    std::shared_ptr<RunServer> server;
    std::unique_ptr<RunningJob> job;  // the worker's until `begun`
    std::optional<Plan> plan;
    std::optional<Error> error;
    bool begun =
        false;  ///< the session's thread alone reads and writes it: the model has begun, and the job may be used
};

/// On a worker thread.
void RunSession::startJob(Slot& slot, const JobStarter& starter, JobOptions options,
                          const std::optional<ServeOptions>& serve) {
    if (serve) {
        auto server = RunServer::listen(*serve);
        if (!server) {
            slot.error = server.error();
            return;
        }
        options.server = slot.server = std::move(*server);
    }
    auto job = starter(options, slot.relay);
    if (job) slot.job = std::move(*job);
    else slot.error = job.error();
}

RunSession::RunSession(RunModel& model, JobStarter starter, QObject* parent)
    : QObject(parent), model_(model), starter_(std::move(starter)) {
    drainTimer_.setSingleShot(true);
    drainTimer_.setInterval(gatherJobMilliseconds);
    connect(&drainTimer_, &QTimer::timeout, this, &RunSession::drain);
}

RunSession::~RunSession() {
    if (slot_) slot_->relay.detach();
}

void RunSession::start(const Layout& layout, std::filesystem::path runFile, Measurements measurements,
                       std::filesystem::path resume, std::optional<ServeOptions> serve, std::string agent) {
    if (active()) return;
    retire();
    layout_ = layout;
    sizes_.clear();
    runFile_ = std::move(runFile);
    stopWhenStarted_ = refused_ = false;
    dropped_ = 0;
    server_.reset();
    const QPointer<RunSession> self(this);
    slot_ = std::make_shared<Slot>([self] {
        onUserInterface([self] {
            if (self && !self->drainTimer_.isActive()) self->drainTimer_.start();
        });
    });
    setState(JobState::Starting);
    QThreadPool::globalInstance()->start(
        [self, slot = slot_, starter = starter_,
         options =
             JobOptions{layout_, runFile_, {}, std::move(measurements), {}, std::move(resume), {}, std::move(agent)},
         serve = std::move(serve)]() mutable {
            auto plan = makePlan(options.layout, options.measurements);
            if (!plan) {
                slot->error = Error{.what = "this layout cannot run", .why = toText(plan.error())};
            } else {
                slot->plan = std::move(*plan);
                startJob(*slot, starter, std::move(options), serve);
            }
            onUserInterface([self, slot = std::move(slot)] {
                if (self && self->slot_ == slot) self->started(slot);
            });
        });
}

void RunSession::started(const std::shared_ptr<Slot>& slot) {
    if (slot->error) {
        const Error error = *slot->error;
        retire();
        refused_ = true;
        setState(JobState::Ended);
        Q_EMIT failedToStart(error);
        return;
    }
    runFile_ = slot->job->runFile();
    server_ = slot->server;
    model_.begin(headerOf(*slot->plan), slot->plan->simulation.events);
    if (isElastic(layout_)) sizes_ = admissibleSizes(layout_, scheduleMethods());
    model_.setFile(runFile_);
    slot->plan.reset();
    slot->begun = true;
    if (stopWhenStarted_) stop();
    drain();
}

void RunSession::stop() {
    if (!active()) return;
    stopWhenStarted_ = true;
    if (*state_ != JobState::Starting) setState(JobState::Stopping);
    send(Command::Stop);
}

void RunSession::send(Command command) {
    if (active() && slot_ && slot_->begun) slot_->job->send(command);
}

int RunSession::replicas() const {
    return model_.empty() ? 0 : model_.activeRanks() / ranksOfReplica(layout_.parallel);
}

std::optional<int> RunSession::fewerReplicas() const {
    const auto found = std::ranges::find_if(sizes_, [now = replicas()](int size) { return size < now; });
    return active() && found != sizes_.end() ? std::optional(*found) : std::nullopt;
}

std::optional<int> RunSession::moreReplicas() const {
    const auto found =
        std::ranges::find_if(sizes_.rbegin(), sizes_.rend(), [now = replicas()](int size) { return size > now; });
    return active() && found != sizes_.rend() ? std::optional(*found) : std::nullopt;
}

void RunSession::resize(int data) {
    if (active() && slot_ && slot_->begun) slot_->job->resize(data);
}

void RunSession::inject(const FaultRequest& request) {
    if (active() && slot_ && slot_->begun) slot_->job->inject(request);
}

void RunSession::setState(JobState state) {
    if (state_ == state) return;
    state_ = state;
    Q_EMIT stateChanged();
}

void RunSession::drain() {
    if (!slot_ || !slot_->begun) return;  // started() drains once the model has begun
    const JobNews news = slot_->relay.take();
    for (const Event& event : news.events)
        if (event.kind == EventKind::Dropped) dropped_ += static_cast<std::int64_t>(event.value);
    if (!news.events.empty()) model_.append(std::span(news.events));
    for (const LogLine& line : news.log) model_.append(line);
    for (const RankRecord& record : news.ranks) model_.setRank(record);
    if (news.clocks) model_.setClocks(*news.clocks);
    if (news.state && *news.state != JobState::Ended) setState(*news.state);
    if (!news.end) return;
    model_.setEnd(*news.end);
    retire();
    setState(JobState::Ended);
    Q_EMIT ended(*news.end);
}

void RunSession::retire() {
    if (!slot_) return;
    slot_->relay.detach();
    // Taking a job down joins its threads: not here.
    QThreadPool::globalInstance()->start([slot = std::move(slot_)]() mutable { slot.reset(); });
    slot_ = nullptr;
}

}  // namespace shardlab
