// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/live_session.h"

#include "ui/core/live_feed.h"
#include "ui/core/run_model.h"
#include "ui/core/ui_thread.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace shardlab {
namespace {

/// News are gathered this long before the views hear of them: at most some 40 repaints a second.
constexpr int gatherMilliseconds = 25;

}  // namespace

struct LiveSession::Slot {
    Slot(std::filesystem::path file, std::function<void()> wake) : feed(std::move(file), std::move(wake)) {}
    LiveFeed feed;  // outlives watch
    std::unique_ptr<RunWatch> watch;
    std::unique_ptr<LiveListener> listener;
    void end() {
        watch.reset();
        listener.reset();
    }
};

LiveSession::LiveSession(RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    drainTimer_.setSingleShot(true);
    drainTimer_.setInterval(gatherMilliseconds);
    connect(&drainTimer_, &QTimer::timeout, this, &LiveSession::drain);
}

LiveSession::~LiveSession() {
    if (!slot_) return;
    slot_->feed.detach();
    slot_->end();
    slot_->feed.close("watching ended before the run did");
}

void LiveSession::prepare(std::filesystem::path file) {
    file_ = std::move(file);
    status_ = {};
    begun_ = false;
    dropped_ = 0;
    const QPointer<LiveSession> self(this);
    slot_ = std::make_shared<Slot>(file_, [self] {
        onUserInterface([self] {
            if (self && !self->drainTimer_.isActive()) self->drainTimer_.start();
        });
    });
}

void LiveSession::watch(const TcpAddress& address, const std::string& token, std::filesystem::path copy) {
    if (active()) return;
    prepare(std::move(copy));
    listening_ = false;
    place_ = QString::fromStdString(address.text());
    slot_->watch = std::make_unique<RunWatch>(WatchOptions{address, token}, slot_->feed);
    Q_EMIT changed();
}

Result<TcpAddress> LiveSession::listen(const ListenOptions& options, std::filesystem::path file) {
    if (active()) return fail({"cannot listen", options.address.text(), "a run is being watched already", ""});
    prepare(std::move(file));
    auto listener = LiveListener::listen(options, slot_->feed);
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
    if (listening_ && begun_) model_.setEnd({"stopped", ""});
    Q_EMIT changed();
}

void LiveSession::forget() {
    place_.clear();
    Q_EMIT changed();
}

void LiveSession::drain() {
    if (!slot_) return;
    const LiveNews news = slot_->feed.take();
    if (news.opening) {
        begun_ = true;
        model_.begin(news.opening->header, news.opening->predicted);
        model_.setFile(file_);
        Q_EMIT begun();
    }
    for (const Event& event : news.events)
        if (event.kind == EventKind::Dropped) dropped_ += static_cast<std::int64_t>(event.value);
    if (!news.names.empty()) {
        EventNames names = model_.names();
        for (const auto& [number, text] : news.names) names.add(number, text);
        model_.setNames(std::move(names));
    }
    for (const LogLine& line : news.log) model_.append(line);
    for (const RankRecord& record : news.ranks) model_.setRank(record);
    if (news.clocks) model_.setClocks(*news.clocks);
    if (!news.events.empty()) model_.append(std::span(news.events));
    if (news.status) status_ = *news.status;
    if (news.copyError) Q_EMIT copyFailed(*news.copyError);
    if (news.end) model_.setEnd(*news.end);
    if (news.end || status_.over()) {
        retire(status_.reason);
        Q_EMIT changed();
        if (news.end) Q_EMIT ended(*news.end);
        else Q_EMIT failed(QString::fromStdString(status_.reason));
        return;
    }
    if (news.status) Q_EMIT changed();
}

void LiveSession::retire(const std::string& reason) {
    slot_->feed.detach();
    // Ending the watch joins its thread: not here.
    QThreadPool::globalInstance()->start([slot = std::move(slot_), reason] {
        slot->end();
        slot->feed.close(reason);
    });
    slot_ = nullptr;
}

}  // namespace shardlab
