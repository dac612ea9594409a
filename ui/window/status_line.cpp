// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_line.h"

#include "ui/core/child.h"
#include "ui/core/elided_label.h"
#include "ui/core/run_outcome.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/core/workbench.h"

#include "engine/base/units.h"

#include <QFileInfo>
#include <QHBoxLayout>

namespace shardlab::ui {
namespace {

constexpr int refreshMilliseconds = 500;

QString figures(const RunModel& model, std::int64_t dropped, const std::filesystem::path& file) {
    const QString path = text(file.string());
    // What is not yet checkpointed into the database still lies in the log beside it.
    const qint64 size = QFileInfo(path).size() + QFileInfo(path + QStringLiteral("-wal")).size();
    const QString shown = StatusLine::tr("%1 events · %2 dropped · %3 on disk")
                              .arg(text(formatCount(static_cast<double>(model.recorded().events))))
                              .arg(dropped)
                              .arg(text(formatBytes(size)));
    const QString steps = model.thinned() ? StatusLine::tr(" · older steps thinned in memory") : QString();
    const auto& cache = model.store().cache();
    if (!cache || cache->bytes() == 0) return shown + steps;
    return shown + steps +
           StatusLine::tr(", %1 of at most %2 in memory")
               .arg(text(formatBytes(static_cast<std::int64_t>(cache->bytes()))),
                    text(formatBytes(static_cast<std::int64_t>(cache->budget()))));
}

QString sharedText(const RunSession& run) {
    if (!run.server() || !run.active()) return {};
    return StatusLine::tr(" · shared at %1: %2")
        .arg(text(run.server()->address().text()), text(run.server()->counts().text()));
}

}  // namespace

StatusLine::StatusLine(Workbench& workbench, QWidget* parent) : QFrame(parent), workbench_(workbench) {
    setProperty("role", "statusLine");
    setFixedHeight(26);
    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(6);
    row->addWidget(light_ = child<QLabel>(QStringLiteral("●"), this));
    row->addWidget(text_ = child<ElidedLabel>(this), 1);
    row->addWidget(keys_ = child<QLabel>(this));
    text_->setProperty("role", "small");
    text_->setAccessibleName(tr("Status"));
    keys_->setProperty("role", "small");
    timer_.setInterval(refreshMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &StatusLine::refresh);
    timer_.start();
    connect(&workbench.document(), &Document::planChanged, this, &StatusLine::refresh);
    connect(&workbench.document(), &Document::fileChanged, this, &StatusLine::refresh);
    connect(&workbench.run(), &RunSession::stateChanged, this, &StatusLine::refresh);
    connect(&workbench.live(), &LiveSession::changed, this, &StatusLine::refresh);
    connect(&workbench.replay(), &ReplaySession::finished, this, &StatusLine::refresh);
    connect(&workbench.imports(), &ImportSession::progressChanged, this, &StatusLine::refresh);
    connect(&workbench.lessons(), &LessonSession::changed, this, &StatusLine::refresh);
    refresh();
}

void StatusLine::setWorkspace(Workspace workspace) {
    workspace_ = workspace;
    refresh();
}

void StatusLine::refresh() {
    const bool learn = workspace_ == Workspace::Learn;
    light_->setVisible(learn ? workbench_.lessons().active() : workspace_ == Workspace::Run && workbench_.runTaken());
    const bool stands = learn                        ? false
                        : workbench_.live().active() ? workbench_.live().status().state != WatchStatus::State::Live
                                                     : workbench_.run().state() == RunState::Paused ||
                                                           workbench_.run().state() == RunState::Restarting;
    setRole(*light_, stands ? "warning" : "good");
    text_->setText(workspace_ == Workspace::Design ? designText()
                   : workspace_ == Workspace::Run  ? runText()
                   : learn                         ? learnText()
                   : workspace_ == Workspace::Home ? tr("Choose what to begin with.")
                                                   : replayText());
    setToolTip(workspace_ == Workspace::Replay                              ? text(workbench_.replay().file().string())
               : workspace_ == Workspace::Run && !workbench_.live().shown() ? text(workbench_.run().runFile().string())
                                                                            : QString());
    keys_->setText(workspace_ == Workspace::Design ? tr("Ctrl+R run · Ctrl+Z undo · Ctrl+K commands · ? keys")
                   : workspace_ == Workspace::Home
                       ? tr("Enter opens · Tab goes on · F10 menus · Ctrl+K commands · ? keys")
                       : tr("F fit · W/S zoom · A/D pan · M measure · Ctrl+K commands · ? keys"));
}

QString StatusLine::designText() const {
    const Document& document = workbench_.document();
    const QString file = document.file().empty() ? tr("not saved yet") : text(document.file().string());
    if (!document.faults().empty())
        return counted(document.faults().size(), tr("1 fault; the figures are those of the last legal layout"),
                       tr("%1 faults; the figures are those of the last legal layout")) +
               QStringLiteral(" · ") + file;
    if (!document.planIsCurrent())
        return tr("Planning this layout; the figures are those of the last one.") + QStringLiteral(" · ") + file;
    return tr("Every figure here is predicted from this layout alone.") + QStringLiteral(" · ") + file;
}

QString StatusLine::runText() const {
    if (workbench_.live().shown()) return liveText();
    const RunSession& run = workbench_.run();
    if (!run.state()) return tr("Nothing has run yet");
    if (!run.begun()) return tr("%1 did not start").arg(text(run.layout().name));
    const QString name = text(run.runFile().filename().string());
    const QString what = run.active() ? tr("recording %1").arg(name) : tr("recorded %1").arg(name);
    return what + sharedText(run) + QStringLiteral("   ") +
           figures(workbench_.model(Workspace::Run), run.droppedEvents(), run.runFile());
}

QString StatusLine::liveText() const {
    const LiveSession& live = workbench_.live();
    const QString reason = told(live.status().reason);
    const QString shown =
        QStringLiteral("   ") + figures(workbench_.model(Workspace::Run), live.droppedEvents(), live.file());
    if (live.listening()) {
        const bool waits = live.active() && live.status().state == WatchStatus::State::Connecting;
        if (waits) return tr("listening at %1: no program has connected yet").arg(live.place());
        const QString name = text(live.file().filename().string());
        return (live.active() ? tr("listening at %1, recording %2").arg(live.place(), name)
                              : tr("recorded %1").arg(name)) +
               shown;
    }
    if (!live.active())
        return tr("watched %1, copied to %2").arg(live.place(), text(live.file().filename().string())) + shown;
    switch (live.status().state) {
    case WatchStatus::State::Connecting: return tr("connecting to %1").arg(live.place());
    case WatchStatus::State::Lost:
        return tr("connection to %1 lost: %2; trying again   ").arg(live.place(), reason) + shown.trimmed();
    case WatchStatus::State::CatchingUp:
        return tr("watching %1, %2 % of it has arrived")
                   .arg(live.place())
                   .arg(static_cast<int>(live.status().share * 100)) +
               shown;
    default: break;
    }
    const QString note = reason.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(reason);
    return tr("watching %1, copied to %2").arg(live.place(), text(live.file().filename().string())) + note + shown;
}

QString StatusLine::learnText() const {
    const LessonSession& lessons = workbench_.lessons();
    if (lessons.active())
        return tr("running %1 of the lesson “%2”").arg(lessons.runningExperiment(), lessons.runningLesson());
    return tr("Figures are measured while an experiment runs; the recording is deleted when Shardlab is closed.");
}

QString StatusLine::replayText() const {
    if (const ImportSession& imports = workbench_.imports(); imports.active()) {
        const auto& files = imports.request().files;
        const QString first = text(files.front().filename().string());
        return files.size() == 1 ? tr("importing %1").arg(first)
                                 : tr("importing %1 and %2 more").arg(first).arg(files.size() - 1);
    }
    const ReplaySession& replay = workbench_.replay();
    if (replay.file().empty()) return tr("No run is open");
    const QString what = replay.reading() ? tr("reading %1") : QStringLiteral("%1");
    const RunModel& model = workbench_.model(Workspace::Replay);
    const QString outcome = outcomeText(model);
    return what.arg(text(replay.file().filename().string())) +
           (outcome.isEmpty() ? outcome : QStringLiteral("   ") + outcome) + QStringLiteral("   ") +
           figures(model, replay.droppedEvents(), replay.file());
}

}  // namespace shardlab::ui
