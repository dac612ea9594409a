// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/import_session.h"

#include "engine/launch/job/run_header.h"
#include "ui/core/field_words.h"
#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <atomic>
#include <optional>

namespace shardlab::ui {
namespace {

constexpr double leastProgress = 0.005;  ///< that is worth drawing

/// With the layout's prediction, which may take a second.
Result<ImportReport> importWith(ImportRequest& request, const std::optional<Layout>& layout,
                                const ShareWatcher& watcher) {
    if (layout) {
        auto expected = expectedRun(*layout, measurementsOfThisMachine());
        if (!expected)
            return fail(
                {say("cannot predict the layout"), layout->name, faultsText(expected.error()).toStdString(), {}});
        request.expected = std::move(*expected);
    }
    return importRun(request, watcher);
}

}  // namespace

struct ImportSession::Task {
    ImportRequest request;
    std::optional<Layout> layout;
    std::atomic<double> share{0};
    std::atomic<bool> cancelled{false};
    std::optional<Result<ImportReport>> result;
};

ImportSession::~ImportSession() { cancel(); }

void ImportSession::start(ImportRequest request, std::optional<Layout> layout) {
    if (active()) return;
    request_ = request;
    layout_ = layout;
    task_ = std::make_shared<Task>();
    task_->request = std::move(request);
    task_->layout = std::move(layout);
    QThreadPool::globalInstance()->start([self = QPointer<ImportSession>(this), task = task_] {
        double told = 0;
        task->result = importWith(task->request, task->layout, [&](double share) {
            task->share = share;
            if (share - told >= leastProgress) {
                told = share;
                onUserInterface([self, task] {
                    if (self && self->task_ == task) Q_EMIT self->progressChanged();
                });
            }
            return !task->cancelled;
        });
        onUserInterface([self, task] {
            if (self) self->finish(task);
        });
    });
    Q_EMIT progressChanged();
}

void ImportSession::cancel() {
    if (task_) task_->cancelled = true;
}

double ImportSession::progress() const { return task_ ? task_->share.load() : 0; }

void ImportSession::finish(const std::shared_ptr<Task>& task) {
    if (task_ != task) return;
    task_ = nullptr;
    Q_EMIT progressChanged();
    if (*task->result) Q_EMIT imported(**task->result);
    else if (task->cancelled) Q_EMIT cancelled();
    else Q_EMIT failed(task->result->error());
}

}  // namespace shardlab::ui
