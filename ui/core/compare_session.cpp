// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/compare_session.h"

#include "engine/trace/run_file/run_file.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

namespace shardlab::ui {
namespace {

Result<RunComparison> compared(const std::filesystem::path& subject, const std::filesystem::path& other,
                               const std::atomic<bool>& stop) {
    const auto cancelled = [&stop] { return stop.load(); };
    const auto a = RunReader::open(subject);
    if (!a) return fail(a.error());
    if (other.empty()) return compareWithPrediction(**a, cancelled);
    const auto b = RunReader::open(other);
    if (!b) return fail(b.error());
    return compareRuns(**a, **b, cancelled);
}

}  // namespace

CompareSession::CompareSession(RunModel& subject, QObject* parent)
    : QObject(parent), subject_(subject), reader_(other_) {
    connect(&subject_, &RunModel::reset, this, &CompareSession::end);
    connect(&other_, &RunModel::reset, &otherSelection_, [this] {
        otherSelection_.clear();
        otherSelection_.setFollowLive(false);
    });
    connect(&reader_, &ReplaySession::finished, this, &CompareSession::changed);
    connect(&reader_, &ReplaySession::failed, this, [this](const QString&, const Error& error) {
        error_ = error;
        Q_EMIT changed();
    });
}

CompareSession::~CompareSession() { leave(); }

void CompareSession::leave() {
    if (stop_) *stop_ = true;
    stop_ = nullptr;
    reader_.cancel();
}

void CompareSession::end() {
    if (with_ == With::Nothing) return;
    leave();
    with_ = With::Nothing;
    file_.clear();
    comparison_.reset();
    error_.reset();
    other_.clear();
    Q_EMIT changed();
}

void CompareSession::compareWithPrediction(bool quietly) {
    if (subject_.file().empty()) return;
    begin(With::Prediction, {});
    other_.begin(subject_.header(), subject_.prediction().events());
    Q_EMIT changed();
    if (!quietly) Q_EMIT requested();
}

void CompareSession::compareWith(std::filesystem::path file) {
    if (subject_.file().empty()) return;
    begin(With::Run, std::move(file));
    other_.clear();
    reader_.open(file_);
    Q_EMIT changed();
    Q_EMIT requested();
}

void CompareSession::askForRun() {
    if (!subject_.file().empty()) Q_EMIT runWanted();
}

void CompareSession::begin(With with, std::filesystem::path file) {
    leave();
    with_ = with;
    file_ = std::move(file);
    comparison_.reset();
    error_.reset();
    stop_ = std::make_shared<std::atomic<bool>>(false);
    QThreadPool::globalInstance()->start(
        [session = QPointer<CompareSession>(this), stop = stop_, subject = subject_.file(), other = file_] {
            auto made = compared(subject, other, *stop);
            auto error = made ? std::optional<Error>() : std::optional<Error>(made.error());
            auto comparison = made ? std::optional<RunComparison>(std::move(*made)) : std::nullopt;
            QMetaObject::invokeMethod(
                qApp, [session, stop, comparison = std::move(comparison), error = std::move(error)]() mutable {
                    if (session) session->take(stop, std::move(comparison), std::move(error));
                });
        });
}

void CompareSession::take(const std::shared_ptr<std::atomic<bool>>& stop, std::optional<RunComparison> comparison,
                          std::optional<Error> error) {
    if (stop != stop_) return;  // a later one is under way
    stop_ = nullptr;
    comparison_ = std::move(comparison);
    if (error) error_ = std::move(error);
    Q_EMIT changed();
}

}  // namespace shardlab::ui
