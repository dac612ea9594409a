// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/import_session.h"

#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <atomic>
#include <optional>

namespace shardlab::ui {
namespace {

constexpr double leastProgress = 0.005;  ///< that is worth drawing

}  // namespace

struct ImportSession::Task {
    ImportRequest request;
    std::atomic<double> share{0};
    std::atomic<bool> cancelled{false};
    std::optional<Result<ImportReport>> result;
};

ImportSession::~ImportSession() { cancel(); }

void ImportSession::start(ImportRequest request) {
    if (active()) return;
    request_ = request;
    task_ = std::make_shared<Task>();
    task_->request = std::move(request);
    QThreadPool::globalInstance()->start([self = QPointer<ImportSession>(this), task = task_] {
        double told = 0;
        task->result = importRun(task->request, [&](double share) {
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
