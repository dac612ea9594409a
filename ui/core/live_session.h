// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is made elsewhere in the desktop's Run workspace: watched over a connection, or made of what another
// program sends; written into a run file, shown by the same views as a run of this machine. Nothing here blocks.
#pragma once

#include "engine/launch/serve/live_listener.h"
#include "engine/launch/serve/run_watch.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>

namespace shardlab::ui {

class RunModel;

class LiveSession : public QObject {
    Q_OBJECT
public:
    explicit LiveSession(RunModel& model, QObject* parent = nullptr);
    ~LiveSession() override;

    /// Follows the run that is served there into `copy`. Ignored while another is followed.
    void watch(const TcpAddress& address, const LinkPass& pass, std::filesystem::path copy);
    /// Makes a run of what programs send there, into `file`. Error: of the address. Ignored while a run is followed.
    Result<TcpAddress> listen(const ListenOptions& options, std::filesystem::path file);
    /// Takes leave; what arrived stays in the model and in the copy.
    void stop();

    /// Whether a run is being watched: from connecting until the end of the run, or until the person disconnects.
    bool active() const { return slot_ != nullptr; }
    const WatchStatus& status() const { return status_; }
    /// Programs are listened for, or were.
    bool listening() const { return listening_; }
    /// Where it is watched or listened: "127.0.0.1:7000". Empty: nothing was.
    const QString& place() const { return place_; }
    /// The model's run came from here, or is to.
    bool shown() const { return !place_.isEmpty(); }
    /// The Run workspace is about to show something else.
    void forget();
    const std::filesystem::path& file() const { return file_; }
    std::int64_t droppedEvents() const { return dropped_; }

Q_SIGNALS:
    /// Status, or whether it is active.
    void changed();
    void begun();  ///< the model has the run's header
    void ended(const shardlab::trace::RunEnd& end);
    void failed(const QString& reason);
    void copyFailed(const shardlab::base::Error& error);

private:
    /// What the watch's thread and the session share.
    struct Slot;
    void prepare(std::filesystem::path file);
    void drain();
    void retire(const std::string& reason);

    RunModel& model_;
    QString place_;
    std::filesystem::path file_;
    WatchStatus status_;
    std::shared_ptr<Slot> slot_;
    bool listening_ = false;
    bool begun_ = false;
    std::int64_t dropped_ = 0;
    QTimer drainTimer_;
};

}  // namespace shardlab::ui
