// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/measure_session.h"

#include "engine/launch/job/profiling.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/predict/plan/profile_store.h"
#include "ui/core/document.h"
#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <mutex>
#include <optional>

namespace shardlab::ui {
namespace {

using Stop = std::function<void(std::function<void()>)>;

Result<Profile> profileOnce(const Layout& layout, RunObserver& observer, const Stop& stop) {
    const auto profiling = Profiling::start(layout, observer);
    if (!profiling) return fail(profiling.error());
    Job& job = (*profiling)->job();
    stop([&job] { job.kill(); });
    job.wait();
    stop({});
    return (*profiling)->result();
}

Result<Profile> profileHere(const Layout& layout, RunObserver& observer, const Stop& stop) {
    auto profile = quietestProfile([&] { return profileOnce(layout, observer, stop); },
                                   [&](const std::string& what) {
                                       observer.logged({0, 0, LogLevel::Info, what});
                                   });
    if (!profile) return profile;
    if (const Status saved = saveProfile(*profile, profileFile(*profile)); !saved) return fail(saved.error());
    return profile;
}

}  // namespace

struct MeasureSession::Task : RunObserver {
    Layout layout;
    Profiler profiler;
    std::function<void(const QString&)> tell;
    std::optional<Result<Profile>> result;
    Measurements measurements;

    std::mutex mutex;
    std::function<void()> stop;  ///< while there is something to stop
    bool cancelled = false;

    void run() {
        result = profiler(layout, *this, [this](std::function<void()> how) {
            const std::scoped_lock lock(mutex);
            stop = std::move(how);
            if (cancelled && stop) stop();
        });
        if (*result) measurements = measurementsOfThisMachine();
    }

    void cancel() {
        const std::scoped_lock lock(mutex);
        cancelled = true;
        if (stop) stop();
    }

    void logged(const LogLine& line) override {
        if (line.rank == 0 && line.text.starts_with("measuring")) tell(QString::fromStdString(line.text));
    }
    void stateChanged(RunState state) override {
        if (state == RunState::Starting) tell(MeasureSession::tr("starting ranks"));
    }
};

MeasureSession::MeasureSession(Document& document, Profiler profiler, QObject* parent)
    : QObject(parent), document_(document), profiler_(profiler ? std::move(profiler) : Profiler(profileHere)) {}

MeasureSession::~MeasureSession() {
    if (task_) task_->cancel();
}

void MeasureSession::start() {
    if (active()) return;
    task_ = std::make_shared<Task>();
    task_->layout = document_.resolvedLayout();
    task_->profiler = profiler_;
    const QPointer<MeasureSession> self(this);
    task_->tell = [self](const QString& what) {
        onUserInterface([self, what] {
            if (self && self->active()) Q_EMIT self->progressed(what);
        });
    };
    QThreadPool::globalInstance()->start([self, task = task_] {
        task->run();
        onUserInterface([self, task] {
            if (self) self->finish(task);
        });
    });
    Q_EMIT stateChanged();
}

void MeasureSession::cancel() {
    if (task_) task_->cancel();
}

void MeasureSession::finish(const std::shared_ptr<Task>& task) {
    if (task_ != task) return;
    task_ = nullptr;
    if (*task->result) {
        document_.setMeasurements(std::move(task->measurements));
        Q_EMIT measured(**task->result);
    } else if (task->cancelled) {
        Q_EMIT cancelled();
    } else {
        Q_EMIT failed(task->result->error());
    }
    Q_EMIT stateChanged();
}

}  // namespace shardlab::ui
