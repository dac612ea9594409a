// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/live_session.h"

#include "engine/launch/serve/run_copy.h"
#include "ui/core/run_feed.h"
#include "ui/core/run_model.h"
#include "ui/core/words.h"

#include <QThreadPool>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostEvents = std::size_t{1} << 17;  ///< that wait for the window; a viewer's link can wait

}  // namespace

struct LiveSession::Slot {
    Slot(std::filesystem::path file, std::function<void()> wake)
        : feed(std::move(wake), mostEvents), copy(std::move(file), feed) {}
    RunFeed feed;
    RunCopy copy;  ///< outlives the watch and the listener
    std::unique_ptr<RunWatch> watch;
    std::unique_ptr<LiveListener> listener;

    void end(const std::string& reason) {
        watch.reset();
        listener.reset();
        copy.close(reason);
    }
};

LiveSession::LiveSession(RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    connect(&drainTimer_, &QTimer::timeout, this, &LiveSession::drain);
}

LiveSession::~LiveSession() {
    if (!slot_) return;
    slot_->feed.detach();
    slot_->end("watching ended before the run did");
}

void LiveSession::prepare(std::filesystem::path file) {
    file_ = std::move(file);
    status_ = {};
    begun_ = false;
    dropped_ = 0;
    slot_ = std::make_shared<Slot>(file_, gatherNews(drainTimer_));
}

void LiveSession::watch(const TcpAddress& address, const LinkPass& pass, std::filesystem::path copy) {
    if (active()) return;
    prepare(std::move(copy));
    listening_ = false;
    place_ = QString::fromStdString(address.text());
    slot_->watch = std::make_unique<RunWatch>(WatchOptions{address, pass}, slot_->copy);
    Q_EMIT changed();
}

Result<TcpAddress> LiveSession::listen(const ListenOptions& options, std::filesystem::path file) {
    if (active())
        return fail({tr("cannot listen").toStdString(), options.address.text(),
                     tr("a run is being watched already").toStdString(), ""});
    prepare(std::move(file));
    auto listener = LiveListener::listen(options, slot_->copy);
    if (!listener) {
        slot_ = nullptr;
        return fail(listener.error());
    }
    slot_->listener = std::move(*listener);
    listening_ = true;
    const TcpAddress address = slot_->listener->address();
    place_ = QString::fromStdString(address.text());
    Q_EMIT changed();
    return address;
}

void LiveSession::stop() {
    if (!active()) return;
    retire("watching ended before the run did");
    // What is made here ends here.
    if (listening_ && begun_) model_.report().setEnd({"stopped", ""});
    Q_EMIT changed();
}

void LiveSession::forget() {
    place_.clear();
    Q_EMIT changed();
}

void LiveSession::drain() {
    if (!slot_) return;
    const RunNews news = slot_->feed.take();
    if (news.open(model_, file_)) {
        begun_ = true;
        Q_EMIT begun();
    }
    news.applyTo(model_);
    dropped_ += news.droppedEvents();
    if (news.status) status_ = *news.status;
    if (news.copyError) Q_EMIT copyFailed(*news.copyError);
    if (news.end || status_.over()) {
        retire(status_.reason.english());
        Q_EMIT changed();
        if (news.end) Q_EMIT ended(*news.end);
        else Q_EMIT failed(told(status_.reason));
        return;
    }
    if (news.status) Q_EMIT changed();
}

void LiveSession::retire(const std::string& reason) {
    slot_->feed.detach();
    // Ending the watch joins its thread: not here.
    QThreadPool::globalInstance()->start([slot = std::move(slot_), reason] { slot->end(reason); });
    slot_ = nullptr;
}

}  // namespace shardlab::ui
