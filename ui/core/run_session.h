// SPDX-License-Identifier: GPL-3.0-or-later
// The live run of the desktop: starts a job, feeds the Run workspace's model with what it says, passes commands on.
// Nothing here blocks: jobs are started and taken down on worker threads.
#pragma once

#include "engine/launch/job/job.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardlab::ui {

class RunModel;

/// How a session gets its job: Job::start, or a stand-in of a test. Called on a worker thread; may block.
using JobStarter = std::function<Result<std::unique_ptr<Job>>(const JobOptions&, RunObserver&)>;

class RunSession : public QObject {
    Q_OBJECT
public:
    RunSession(RunModel& model, JobStarter starter, QObject* parent = nullptr);
    /// Ends a run that still goes.
    ~RunSession() override;

    /// `layout` is legal, its paths absolute; `resume`: a checkpoint to go on from; `serve`: where others may watch,
    /// empty: nowhere; `agent`: as in JobOptions. Ignored while a run is active.
    void start(const Layout& layout, std::filesystem::path runFile, Measurements measurements = {},
               std::filesystem::path resume = {}, std::optional<ServeOptions> serve = {}, std::string agent = {});
    /// Whether the operations within actions are recorded, in every tenth step of runs that start from now on and are
    /// not paced.
    void recordOperations(bool on) { recordsOperations_ = on; }
    bool recordsOperations() const { return recordsOperations_; }
    void pause() { send(Command::Pause); }
    void resume() { send(Command::Resume); }
    /// One more step, then paused.
    void stepOnce() { send(Command::StepOnce); }
    void checkpoint() { send(Command::Checkpoint); }
    void stop();
    /// The next smaller or larger number of replicas that an elastic run can be resized to; none where there is none.
    std::optional<int> fewerReplicas() const;
    std::optional<int> moreReplicas() const;
    /// Resizes the run to one of these numbers after the present step, from a checkpoint.
    void resize(int data);
    /// Injects a fault at once.
    void inject(const FaultRequest& request);

    /// Whether a run is under way: from pressing Run until its last byte is on disk.
    bool active() const { return state_.has_value() && *state_ != RunState::Ended; }
    /// None until the first start.
    std::optional<RunState> state() const { return state_; }
    /// False: the last start was refused, and left no run.
    bool begun() const { return !refused_; }
    const std::filesystem::path& runFile() const { return runFile_; }
    const Layout& layout() const { return layout_; }
    std::int64_t droppedEvents() const { return dropped_; }
    /// The server that shares the run, or shared the last one; nullptr where the run is not shared.
    const RunServer* server() const { return server_.get(); }

Q_SIGNALS:
    void stateChanged();
    void failedToStart(const shardlab::base::Error& error);
    void ended(const shardlab::trace::RunEnd& end);

private:
    /// What a start on a worker thread and the session share.
    struct Slot;
    void send(Command command);
    int replicas() const;
    void setState(RunState state);
    void started(const std::shared_ptr<Slot>& slot);
    void drain();
    void retire();

    RunModel& model_;
    JobStarter starter_;
    Layout layout_;
    std::vector<int> sizes_;  ///< numbers of replicas it may have, descending; empty: always the layout's
    std::filesystem::path runFile_;
    std::optional<RunState> state_;
    std::shared_ptr<Slot> slot_;
    std::shared_ptr<RunServer> server_;
    bool stopWhenStarted_ = false;
    bool refused_ = false;
    bool recordsOperations_ = false;
    std::int64_t dropped_ = 0;
    QTimer drainTimer_;
};

}  // namespace shardlab::ui
