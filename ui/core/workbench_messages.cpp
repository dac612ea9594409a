// SPDX-License-Identifier: GPL-3.0-or-later
// What the workbench says of what has happened: a message each, and for how long it holds.
#include "ui/core/workbench.h"

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/resume.h"
#include "engine/trace/dumps/hang_report.h"
#include "engine/trace/trainers/trainer_target.h"
#include "ui/core/log_words.h"
#include "ui/core/run_outcome.h"
#include "ui/core/shrinking.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>

namespace shardlab::ui {

std::optional<MessageChoice> Workbench::resumeChoice(const Layout& layout, const std::filesystem::path& runFile,
                                                     const std::string& created) {
    if (runFile.empty()) return std::nullopt;  // what is shown lies in no file
    const std::vector<CheckpointPlace> places = listCheckpoints(checkpointFolder(layout, runFile));
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        const auto manifest = readWhole(place->path);
        if (!manifest) continue;
        const bool others = !layout.checkpoint.path.empty() && manifest->created < created;
        if (others || manifest->step >= layout.run.steps) return std::nullopt;
        return MessageChoice{tr("Resume from step %1").arg(manifest->step),
                             [this, layout, checkpoint = place->path] { startRun(layout, checkpoint); }};
    }
    return std::nullopt;
}

/// A run that failed looks like any other until its end; that it did is said at once.
void Workbench::sayReplayed() {
    const RunModel& run = model(Workspace::Replay);
    if (!run.report().end()) return;
    const auto say = [&](MessageLevel level, const QString& title, const QString& detail,
                         std::vector<MessageChoice> choices = {}) {
        messages_.post({.level = level,
                        .title = title,
                        .detail = detail,
                        .choices = std::move(choices),
                        .topic = "opened",
                        .holds = whileOpened(replay_.file())});
    };
    if (run.report().end()->outcome == "failed") {
        std::vector<MessageChoice> choices;
        if (auto resume = run.header().hasLayout()
                              ? resumeChoice(run.header().layout, replay_.file(), run.header().created)
                              : std::nullopt)
            choices.push_back(std::move(*resume));
        return say(MessageLevel::Error, tr("This run failed"), outcomeText(run), std::move(choices));
    }
    if (const QString failed = failedCheckpointsText(run); !failed.isEmpty())
        say(MessageLevel::Warning, tr("Checkpoints of this run failed"), failed);
}

void Workbench::sayImported(const ImportReport& report) {
    std::int64_t ignored = 0;
    for (const ImportCount& each : report.ignored) ignored += each.count;
    QString detail = told(report.summary());
    if (ignored > 0) detail += tr("; %1 entries were not understood: the view Events lists them by kind").arg(ignored);
    const std::filesystem::path out = imports_.request().out;
    std::vector<MessageChoice> choices;
    const int world = report.job.value_or(report.ranks);
    if (const Layout& layout = document_.layout();
        !imports_.layout() && document_.faults().empty() && (world == 0 || rankCount(layout) == world))
        choices.push_back({tr("Compare with the layout “%1”").arg(QString::fromStdString(layout.name)),
                           [this, files = imports_.request().files, layout] { importTraces(files, layout); }});
    if (const auto& file = imports_.request().files.front(); report.job && isTrainerFile(file))
        choices.push_back({tr("Open the layout of its arguments"), [this, file] { newFromTrainerFile(file); }});
    const bool asks = !choices.empty();
    messages_.post(
        {.level = MessageLevel::Info,
         .title = tr("Imported %1").arg(text(out.filename())),
         .detail = detail,
         .choices = std::move(choices),
         .topic = "import",
         .holds = [this, out, before = replay_.file()] { return replay_.file() == out || replay_.file() == before; },
         .passing = !asks});
    openRun(out);
}

void Workbench::sayWritten(const QString& file, const Error* whyNot, Workspace where) {
    const QString name = QFileInfo(file).fileName();
    if (whyNot) return messages_.post(tr("Cannot save %1").arg(name), *whyNot, "written");
    messages_.post({.level = MessageLevel::Info,
                    .title = tr("%1 was saved").arg(name),
                    .detail = file,
                    .topic = "written",
                    .newsIn = where,
                    .passing = true});
}

void Workbench::sayMade(const std::filesystem::path& file, const ConfigLayout& made) {
    QStringList lines;
    for (const Sentence& line : made.leftOut) lines << told(line);
    std::vector<MessageChoice> choices{{tr("Plan for which cluster?"), [this] {
                                            Q_EMIT workspaceRequested(Workspace::Home);
                                            home_.askWhichCluster();
                                        }}};
    messages_.post({.level = lines.empty() ? MessageLevel::Info : MessageLevel::Warning,
                    .title = lines.empty()
                                 ? tr("The layout of %1 is predicted for this machine").arg(text(file.filename()))
                                 : tr("The layout leaves out some of what %1 says").arg(text(file.filename())),
                    .detail = lines.join(QLatin1Char('\n')),
                    .choices = std::move(choices),
                    .topic = "file",
                    .holds = [this, model = made.layout.model] { return document_.layout().model == model; }});
}

void Workbench::sayWhoHangs(const std::vector<std::filesystem::path>& dumps) {
    std::vector<FlightDump> read;
    for (const std::filesystem::path& file : dumps) {
        auto dump = readFlightDump(file);
        if (!dump)
            return messages_.post(tr("Cannot read %1").arg(text(file.filename())), dump.error(), "import",
                                  whileOpened(replay_.file()));
        read.push_back(std::move(*dump));
    }
    const auto report = reportHang(read);
    if (!report)
        return messages_.post(tr("Cannot read these dumps together"), report.error(), "import",
                              whileOpened(replay_.file()));
    QStringList lines;
    for (const Sentence& line : report->lines()) lines += told(line);
    const QString whole = lines.join(QLatin1Char('\n')) + QLatin1Char('\n'), conclusion = lines.takeFirst();
    messages_.post({.level = report->hangs() ? MessageLevel::Warning : MessageLevel::Info,
                    .title = conclusion,
                    .detail = lines.join(QLatin1Char('\n')),
                    .choices = {{tr("Copy the report"), [whole] { QGuiApplication::clipboard()->setText(whole); }}},
                    .topic = "import",
                    .holds = whileOpened(replay_.file())});
}

void Workbench::sayWatched(const QString& what, const QString& detail, MessageLevel level) {
    const MessageChoice replay{tr("Open in Replay"), [this, file = live_.file()] { openRun(file); }};
    messages_.post({.level = level,
                    .title = what,
                    .detail = detail,
                    .choices = {replay},
                    .topic = "live",
                    .holds = whileShownInRun(live_.file())});
}

void Workbench::sayStarted() {
    if (run_.state() == RunState::Running) recent_.add(run_.runFile());
}

void Workbench::sayEnded(const RunEnd& end) {
    const std::filesystem::path file = run_.runFile();
    std::vector<MessageChoice> choices;
    const RunModel& run = model(Workspace::Run);
    if (auto resume = end.outcome != "finished" && !run.empty()
                          ? resumeChoice(run_.layout(), file, run.header().created)
                          : std::nullopt)
        choices.push_back(std::move(*resume));
    choices.push_back({tr("Open in Replay"), [this, file] { openRun(file); }});
    if (end.outcome == "failed") {
        if (isDesignForOtherMachines(run_.layout()))
            choices.push_back({tr("Shrink to this machine"), [this, layout = run_.layout()] { shrink(layout); }});
        messages_.post({.level = MessageLevel::Error,
                        .title = tr("The run failed"),
                        .detail = logWords(end.reason),
                        .choices = std::move(choices),
                        .topic = "run",
                        .holds = whileShownInRun(file)});
        return;
    }
    const QString what = end.outcome == "stopped" ? tr("The run was stopped") : tr("The run finished");
    const QString failed = failedCheckpointsText(run);
    messages_.post({.level = failed.isEmpty() ? MessageLevel::Info : MessageLevel::Warning,
                    .title = what,
                    .detail = failed.isEmpty() ? text(file) : failed,
                    .choices = choices,
                    .topic = "run",
                    .holds = whileShownInRun(file),
                    .newsIn = failed.isEmpty() ? std::optional(Workspace::Run) : std::nullopt});
}

std::function<bool()> Workbench::whileOpened(const std::filesystem::path& file) const {
    return [this, file] { return replay_.file() == file; };
}

std::function<bool()> Workbench::whileLayoutStays() const {
    return [this, layout = document_.layout()] { return document_.layout() == layout; };
}

/// While the Run workspace shows this run and no other.
std::function<bool()> Workbench::whileShownInRun(const std::filesystem::path& file) const {
    return [this, file] { return (live_.shown() ? live_.file() : run_.runFile()) == file; };
}

void Workbench::reviewMessages() {
    const auto review = [this] { messages_.review(); };  // with everything that messages tell of
    for (const auto signal : {&Document::layoutChanged, &Document::fileChanged})
        connect(&document_, signal, this, review);
    connect(&run_, &RunSession::stateChanged, this, review);
    connect(&live_, &LiveSession::changed, this, review);
    connect(&measure_, &MeasureSession::stateChanged, this, review);
    connect(&lessons_, &LessonSession::changed, this, review);
    connect(&replay_, &ReplaySession::opened, this, review);
    connect(&recent_, &RecentFiles::changed, this, review);
}

}  // namespace shardlab::ui
