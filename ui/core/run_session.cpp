// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_session.h"

#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/run_feed.h"
#include "ui/core/run_model.h"
#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int stepsBetweenOperations = 10;

}  // namespace

struct RunSession::Slot {
    explicit Slot(std::function<void()> wake) : feed(std::move(wake)) {}
    RunFeed feed;  ///< outlives the job
    std::shared_ptr<RunServer> server;
    std::unique_ptr<Job> job;  ///< belongs to the worker thread until `begun`
    std::optional<Error> error;
    bool begun = false;  ///< the job may be used; the session's thread alone reads and writes it

    /// Called on a worker thread.
    void start(const JobStarter& starter, JobOptions options, const std::optional<ServeOptions>& serve) {
        if (serve) {
            auto listening = RunServer::listen(*serve);
            if (!listening) {
                error = listening.error();
                return;
            }
            options.server = server = std::move(*listening);
        }
        auto started = starter(options, feed);
        if (started) job = std::move(*started);
        else error = started.error();
    }
};

RunSession::RunSession(RunModel& model, JobStarter starter, QObject* parent)
    : QObject(parent), model_(model), starter_(std::move(starter)) {
    connect(&drainTimer_, &QTimer::timeout, this, &RunSession::drain);
}

RunSession::~RunSession() {
    if (slot_) slot_->feed.detach();
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
    slot_ = std::make_shared<Slot>(gatherNews(drainTimer_));
    setState(RunState::Starting);
    JobOptions job{layout_, runFile_, {}, std::move(measurements), {}, std::move(resume), {}, std::move(agent)};
    if (recordsOperations_ && !layout_.cluster.pace) job.operationsEvery = stepsBetweenOperations;
    QThreadPool::globalInstance()->start([self = QPointer<RunSession>(this), slot = slot_, starter = starter_,
                                          options = std::move(job), serve = std::move(serve)]() mutable {
        slot->start(starter, std::move(options), serve);
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
        setState(RunState::Ended);
        Q_EMIT failedToStart(error);
        return;
    }
    runFile_ = slot->job->runFile();
    server_ = slot->server;
    if (isElastic(layout_)) sizes_ = admissibleSizes(layout_, scheduleMethods());
    slot->begun = true;
    if (stopWhenStarted_) stop();
    drain();
}

void RunSession::stop() {
    if (!active()) return;
    stopWhenStarted_ = true;
    if (*state_ != RunState::Starting) setState(RunState::Stopping);
    send(Command::Stop);
}

void RunSession::send(Command command) {
    if (active() && slot_ && slot_->begun) slot_->job->send(command);
}

int RunSession::replicas() const {
    return model_.empty() ? 0 : model_.steps().activeRanks() / ranksOfReplica(layout_.parallel);
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

void RunSession::setState(RunState state) {
    if (state_ == state) return;
    state_ = state;
    Q_EMIT stateChanged();
}

void RunSession::drain() {
    if (!slot_ || !slot_->begun) return;  // started() drains once the job may be used
    const RunNews news = slot_->feed.take();
    news.open(model_, runFile_);
    news.applyTo(model_);
    dropped_ += news.droppedEvents();
    if (news.state && *news.state != RunState::Ended) setState(*news.state);
    if (!news.end) return;
    retire();
    setState(RunState::Ended);
    Q_EMIT ended(*news.end);
}

void RunSession::retire() {
    if (!slot_) return;
    slot_->feed.detach();
    // Taking a job down joins its threads: not here.
    QThreadPool::globalInstance()->start([slot = std::move(slot_)]() mutable { slot.reset(); });
    slot_ = nullptr;
}

}  // namespace shardlab::ui
