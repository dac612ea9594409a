// SPDX-License-Identifier: GPL-3.0-or-later
// "Measure this machine": profiles the document's layout on a worker thread and hands what was measured to the
// document, whose predictions are then of this machine.
#pragma once

#include "engine/predict/plan/profile.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace shardlab::trace {
class RunObserver;
}  // namespace shardlab::trace

namespace shardlab::ui {

class Document;

class MeasureSession : public QObject {
    Q_OBJECT
public:
    /// Profiles a layout; called on a worker thread, where it may block. It calls `stop` with what ends it early.
    using Profiler = std::function<Result<Profile>(const Layout& layout, RunObserver& observer,
                                                   const std::function<void(std::function<void()>)>& stop)>;

    /// `profiler`: by default ranks on this machine, and the profile is kept in the user's folder.
    explicit MeasureSession(Document& document, Profiler profiler = {}, QObject* parent = nullptr);
    /// Ends what is being measured.
    ~MeasureSession() override;

    /// The document's layout is legal. Ignored while one is being measured.
    void start();
    void cancel();
    bool active() const { return task_ != nullptr; }

Q_SIGNALS:
    void stateChanged();
    void progressed(const QString& what);  ///< "measuring forward and backward"
    void measured(const shardlab::predict::Profile& profile);
    void failed(const shardlab::base::Error& error);
    void cancelled();

private:
    /// Shared with the worker.
    struct Task;
    void finish(const std::shared_ptr<Task>& task);

    Document& document_;
    Profiler profiler_;
    std::shared_ptr<Task> task_;
};

}  // namespace shardlab::ui
