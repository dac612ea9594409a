// SPDX-License-Identifier: GPL-3.0-or-later
// Imports other programs' traces on a worker thread; the run that comes of it is then opened as any other.
#pragma once

#include "engine/trace/interchange/import.h"

#include <QObject>

#include <memory>
#include <optional>

namespace shardlab::ui {

class ImportSession : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~ImportSession() override;

    /// Ignored while one is under way. `layout`: what the traces' program trained, whose prediction becomes what the
    /// request expects.
    void start(ImportRequest request, std::optional<Layout> layout = {});
    /// Leaves nothing of the run.
    void cancel();

    bool active() const { return task_ != nullptr; }
    double progress() const;  ///< in [0, 1]
    /// The request of the import under way, or of the last one.
    const ImportRequest& request() const { return request_; }
    const std::optional<Layout>& layout() const { return layout_; }  ///< of the same

Q_SIGNALS:
    /// Sent when the import begins and ends too.
    void progressChanged();
    void imported(const shardlab::trace::ImportReport& report);
    void failed(const shardlab::base::Error& error);
    void cancelled();

private:
    /// Shared with the worker.
    struct Task;
    void finish(const std::shared_ptr<Task>& task);

    ImportRequest request_;
    std::optional<Layout> layout_;
    std::shared_ptr<Task> task_;
};

}  // namespace shardlab::ui
