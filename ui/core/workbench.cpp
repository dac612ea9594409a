// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/workbench.h"

#include "engine/base/resources.h"
#include "engine/base/token.h"
#include "engine/launch/tls/tls_pass.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/measured_costs.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/trainers/trainer_target.h"
#include "ui/core/field_words.h"
#include "ui/core/log_words.h"
#include "ui/core/run_outcome.h"
#include "ui/core/shrinking.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QClipboard>
#include <QDateTime>
#include <QFile>
#include <QGuiApplication>

namespace shardlab::ui {
namespace {

QString fileName(const std::filesystem::path& path) { return QString::fromStdString(path.filename().string()); }

/// Run files are SQLite databases that say whose they are.
bool looksLikeRun(const std::filesystem::path& path) {
    if (path.extension() == ".shardlab") return true;
    QFile file(text(path));
    const QByteArray page = file.open(QIODevice::ReadOnly) ? file.read(72) : QByteArray();
    return page.startsWith("SQLite format 3") && page.endsWith("SHLD");
}

/// JSON at least, or not to be read: then the layout's reader says best what is wrong.
bool looksLikeLayout(const std::filesystem::path& path) {
    QFile file(text(path));
    const QByteArray begin = file.open(QIODevice::ReadOnly) ? file.read(4096).trimmed() : QByteArray("{");
    return begin.startsWith('{') || begin.startsWith('[');
}

/// Anything else is taken for a layout, whose reader says what is wrong with it.
bool looksLikeTrace(const std::filesystem::path& path) {
    return !looksLikeRun(path) && (isFlightDump(path) || detectImportFormat(path).has_value());
}

/// A name that any file system takes.
std::string safeName(const std::string& name) {
    std::string safe;
    for (const char letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = byte >= 0x80 || std::isalnum(byte) || letter == '-' || letter == '_' || letter == '.';
        safe += plain ? letter : '-';
    }
    return safe.empty() || safe.front() == '.' ? "run" + safe : safe;
}

}  // namespace

Workbench::Workbench(JobStarter starter, std::filesystem::path runFolder, QObject* parent)
    : QObject(parent), runFolder_(std::move(runFolder)),
      run_(models_[static_cast<std::size_t>(Workspace::Run)], starter),
      replay_(models_[static_cast<std::size_t>(Workspace::Replay)]),
      compare_(models_[static_cast<std::size_t>(Workspace::Replay)]),
      live_(models_[static_cast<std::size_t>(Workspace::Run)]),
      lessons_(document_, models_[static_cast<std::size_t>(Workspace::Learn)], std::move(starter)) {
    for (std::size_t i = 0; i < events_.size(); ++i)
        events_[i] = std::make_unique<EventSearch>(models_[i], selections_[i]);
    connect(&document_, &Document::planChanged, this, &Workbench::showPrediction);
    // A cursor or a selected action of the last run means nothing in the next.
    for (const Workspace workspace : {Workspace::Run, Workspace::Replay, Workspace::Learn})
        connect(&model(workspace), &RunModel::reset, this, [this, workspace] { selection(workspace).clear(); });
    // A prediction is begun anew with every edit: what was selected is looked for in it.
    connect(&document_, &Document::replaced, this, [this] { selection(Workspace::Design).clear(); });
    connect(&model(Workspace::Design), &RunModel::reset, this,
            [this] { selection(Workspace::Design).keepWithin(model(Workspace::Design)); });
    connect(&search_, &SearchSession::failed, this, [this](const std::vector<Fault>& faults) {
        messages_.post({.level = MessageLevel::Error,
                        .title = tr("No layout is legal for this model, cluster and batch"),
                        .detail = faultsText(faults),
                        .topic = "search",
                        .holds = [this, searched = document_.layout()] { return document_.layout() == searched; }});
    });
    connect(&search_, &SearchSession::changed, this, [this] {
        if (search_.running()) messages_.withdraw("search");
    });
    connect(&run_, &RunSession::stateChanged, this, &Workbench::sayStarted);
    connect(&run_, &RunSession::ended, this, &Workbench::sayEnded);
    connect(&run_, &RunSession::failedToStart, this, [this](const Error& error) {
        messages_.post(tr("The run did not start"), error, "run", whileShownInRun(run_.runFile()));
    });
    connect(&replay_, &ReplaySession::failed, this, [this](const QString& file, const Error& error) {
        recent_.remove(file.toStdString());
        messages_.post(tr("Cannot read %1").arg(fileName(file.toStdString())), error, "file",
                       [this, before = replay_.file()] { return replay_.file() == before; });
    });
    connect(&replay_, &ReplaySession::opened, this, [this] {
        messages_.withdraw("file");
        recent_.add(replay_.file());
    });
    followMeasuring();
    followImporting();
    followLive();
    followLessons();
    connect(&model(Workspace::Replay).report(), &RunReport::ended, this, &Workbench::sayReplayed);
    reviewMessages();
    showPrediction();
}

ViewContext Workbench::context(Workspace workspace) {
    return {workspace,        document_,
            model(workspace), selection(workspace),
            theme_,           search_,
            compare_,         events(workspace),
            lessons_,         workspace == Workspace::Home ? &home_ : nullptr};
}

void Workbench::open(const std::filesystem::path& file) {
    if (looksLikeRun(file)) openRun(file);
    else if (looksLikeTrace(file)) importTraces({file});
    else if (isTrainerFile(file)) newFromTrainerFile(file);
    else openLayout(file);
}

bool Workbench::leavesLayoutAlone(const std::filesystem::path& file) const {
    return looksLikeRun(file) || looksLikeTrace(file);
}

bool Workbench::openLayout(const std::filesystem::path& file) {
    const auto parsed = readLayout(file);
    if (!parsed) {
        recent_.remove(file);
        const Error other{tr("it is neither a layout (JSON), a run (.shardlab) nor a trace").toStdString(),
                          file.string(),
                          tr("a layout begins with {, and no trace format or configuration of another trainer that "
                             "Shardlab reads looks like this file")
                              .toStdString(),
                          {}};
        messages_.post(tr("Cannot open %1").arg(fileName(file)), looksLikeLayout(file) ? parsed.error() : other, "file",
                       whileLayoutStays());
        return false;
    }
    messages_.withdraw("file");
    document_.replace(parsed->layout, file);
    recent_.add(file);
    if (!parsed->faults.empty())
        messages_.post(
            {.level = MessageLevel::Warning,
             .title = tr("Parts of %1 were not understood; these fields have their default values").arg(fileName(file)),
             .detail = faultsText(parsed->faults),
             .topic = "file",
             .holds = [this, file] { return document_.file() == file; }});
    Q_EMIT workspaceRequested(Workspace::Design);
    return true;
}

void Workbench::openRun(const std::filesystem::path& file) {
    Q_EMIT workspaceRequested(Workspace::Replay);
    if (!run_.active() && file == run_.runFile()) messages_.withdraw("run");  // what it offers is done
    replay_.open(file);
}

void Workbench::importTraces(std::vector<std::filesystem::path> files, const std::optional<Layout>& layout) {
    if (files.empty() || imports_.active()) return;
    if (std::ranges::any_of(files, isFlightDump)) return sayWhoHangs(files);
    if (!haveRunFolder(tr("Nothing was imported"))) return;
    Layout named;
    named.name = files.front().stem().string();
    messages_.withdraw("import");
    Q_EMIT workspaceRequested(Workspace::Replay);
    const std::filesystem::path out = nextRunFile(named);
    imports_.start({std::move(files), out, {}}, layout);
}

void Workbench::followImporting() {
    connect(&imports_, &ImportSession::imported, this, &Workbench::sayImported);
    connect(&imports_, &ImportSession::failed, this, [this](const Error& error) {
        messages_.post(tr("Cannot import %1").arg(fileName(imports_.request().files.front())), error, "import",
                       whileOpened(replay_.file()));
    });
    connect(&imports_, &ImportSession::cancelled, this, [this] {
        messages_.post({.level = MessageLevel::Info,
                        .title = tr("The import was cancelled; no run was made"),
                        .topic = "import",
                        .holds = whileOpened(replay_.file()),
                        .passing = true});
    });
}

bool Workbench::haveRunFolder(const QString& refusal) {
    std::error_code code;
    std::filesystem::create_directories(runFolder_, code);
    if (code)
        messages_.post(refusal,
                       Error{.what = tr("cannot make the folder for runs").toStdString(),
                             .where = runFolder_.string(),
                             .why = code.message()},
                       "run");
    return !code;
}

bool Workbench::saveLayout(const std::filesystem::path& file) {
    const Status saved = layout::saveLayout(document_.layout(), file);
    if (!saved) {
        messages_.post(tr("Cannot save %1").arg(fileName(file)), saved.error(), "file", whileLayoutStays());
        return false;
    }
    messages_.withdraw("file");
    document_.setSaved(file);
    recent_.add(file);
    return true;
}

void Workbench::newFromPreset(const Layout& layout) {
    messages_.withdraw("file");  // the file that it told of is no longer the one in Design
    document_.replace(layout, {});
    Q_EMIT workspaceRequested(Workspace::Design);
}

void Workbench::newFromTrainerFile(const std::filesystem::path& file) {
    const Result<ConfigLayout> made = layoutFromFile(file);
    if (!made)
        return messages_.post(tr("Cannot open %1").arg(fileName(file)), made.error(), "file", whileLayoutStays());
    messages_.withdraw("file");
    newFromPreset(made->layout);
    sayMade(file, *made);
}

/// With faults, says so under the title `refusal` and asks for the first faulty field.
bool Workbench::judgedLegal(const QString& refusal) {
    if (document_.faults().empty()) return true;
    messages_.post({.level = MessageLevel::Error,
                    .title = refusal,
                    .detail = faultsText(document_.faults()),
                    .topic = "run",
                    .holds = [this, told = toText(document_.faults())] { return toText(document_.faults()) == told; }});
    Q_EMIT workspaceRequested(Workspace::Design);
    document_.requestField(QString::fromStdString(document_.faults().front().pointer));
    return false;
}

Workbench::~Workbench() { forgetToken(); }

void Workbench::startMeasuring() {
    // Each would measure the other.
    if (runTaken() || measure_.active()) return;
    if (!freeOfLessons(tr("Nothing was measured"))) return;
    if (!judgedLegal(tr("This layout cannot be measured"))) return;
    measure_.start();
}

void Workbench::followMeasuring() {
    connect(&measure_, &MeasureSession::progressed, this, [this](const QString& what) {
        messages_.post(
            {.level = MessageLevel::Info,
             .title = tr("Measuring this machine"),
             .detail =
                 tr("%1; the measurement takes some seconds, and no other program should run meanwhile").arg(what),
             .choices = {{tr("Cancel"), [this] { measure_.cancel(); }}},
             .topic = "measure"});
    });
    connect(&measure_, &MeasureSession::measured, this, [this](const Profile& profile) {
        messages_.post({.level = noisy(profile) ? MessageLevel::Warning : MessageLevel::Info,
                        .title = tr("This machine was measured: predictions for this model now use the measured times"),
                        .detail = told(profileNote(profile)),
                        .topic = "measure",
                        .holds = [this, model = document_.layout().model] { return document_.layout().model == model; },
                        .passing = !noisy(profile)});
    });
    connect(&measure_, &MeasureSession::cancelled, this, [this] {
        messages_.post({.level = MessageLevel::Info,
                        .title = tr("Measuring was cancelled; nothing was kept"),
                        .topic = "measure",
                        .holds = whileLayoutStays(),
                        .passing = true});
    });
    connect(&measure_, &MeasureSession::failed, this, [this](const Error& error) {
        messages_.post(tr("This machine was not measured"), error, "measure", whileLayoutStays());
    });
}

bool Workbench::startRun(const std::filesystem::path& resume) {
    if (runTaken() || measure_.active()) return false;
    if (!judgedLegal(tr("This layout cannot run"))) return false;
    return startRun(document_.resolvedLayout(), resume);
}

bool Workbench::mayCallHosts(const Layout& layout, const std::filesystem::path& resume) {
    if (allOwnNames(layout.cluster.hosts)) return true;
    if (isDesignForOtherMachines(layout) && resume.empty() && layout.cluster.hosts != meantHosts_) {
        askWhereToRun(layout);
        return false;
    }
    const std::string& agent = layout.cluster.agent;
    const auto refuse = [this](const Error& error) {
        messages_.post(tr("The run did not start"), error, "run");
        return false;
    };
    const auto allowed = agentIsAllowed(agent);
    if (!allowed) return refuse(allowed.error());
    if (*allowed) return true;
    const auto remember = [this, layout, resume, agent, refuse] {
        if (const Status remembered = allowAgent(agent); remembered) startRun(layout, resume);
        else refuse(remembered.error());
    };
    messages_.post(
        {.level = MessageLevel::Warning,
         .title = tr("To reach the other hosts, the layout asks for this program to be started. Start it?"),
         .detail = QString::fromStdString(agent),
         .choices = {{tr("Start it once"), [this, layout, resume, agent] { startRun(layout, resume, agent); }},
                     {tr("Start it, and remember"), remember}},
         .topic = "run"});
    return false;
}

bool Workbench::startRun(const Layout& layout, const std::filesystem::path& resume, const std::string& agent) {
    if (runTaken() || measure_.active()) return false;
    if (!freeOfLessons(tr("The run did not start"))) return false;
    if (agent.empty() && !mayCallHosts(layout, resume)) return false;
    if (!haveRunFolder(tr("The run did not start"))) return false;
    messages_.withdraw("run");
    live_.forget();
    Q_EMIT workspaceRequested(Workspace::Run);
    run_.start(layout, nextRunFile(layout), document_.measurements(), resume, sharing_.options(), agent);
    return true;
}

std::filesystem::path Workbench::checkpoints() const {
    if (run_.state() && !live_.shown()) return checkpointFolder(run_.layout(), run_.runFile());
    if (replay_.file().empty()) return {};
    return checkpointFolder(models_[static_cast<std::size_t>(Workspace::Replay)].header().layout, replay_.file());
}

std::filesystem::path Workbench::nextRunFile(const Layout& layout) const {
    const std::string stem =
        safeName(layout.name) + "-" + QDateTime::currentDateTime().toString("yyyyMMdd-HHmmss").toStdString();
    std::filesystem::path file = runFolder_ / (stem + ".shardlab");
    std::error_code code;
    for (int number = 2; std::filesystem::exists(file, code); ++number)
        file = runFolder_ / (stem + "-" + std::to_string(number) + ".shardlab");
    return file;
}

bool Workbench::freeForOther(const QString& refusal) {
    if (!runTaken()) return haveRunFolder(refusal);
    messages_.post(
        {.level = MessageLevel::Warning,
         .title = refusal,
         .detail = run_.active() ? tr("A run is under way here: stop it before you watch another one.")
                   : live_.listening()
                       ? tr("Shardlab is listening for a program: stop listening before you watch another run.")
                       : tr("A run is being watched: disconnect from it before you watch another one."),
         .topic = "live",
         .holds = [this] { return runTaken(); }});
    return false;
}

bool Workbench::connectTo(const TcpAddress& address, const LinkPass& pass) {
    if (!freeForOther(tr("Not connected"))) return false;
    for (const char* topic : {"live", "run"}) messages_.withdraw(QString::fromLatin1(topic));
    Q_EMIT workspaceRequested(Workspace::Run);
    Layout named;
    named.name = "watched";
    live_.watch(address, pass, nextRunFile(named));
    return true;
}

bool Workbench::listenForPrograms() {
    const QString refusal = tr("Not listening");
    if (!freeForOther(refusal)) return false;
    Layout named;
    named.name = "live";
    const std::filesystem::path file = nextRunFile(named);
    const auto refuse = [&](const Error& error) {
        messages_.post(refusal, error, "live");
        return false;
    };
    auto pass = makePass(Protection::Tls);
    if (!pass) return refuse(pass.error());
    std::filesystem::path tokenFile = file;
    tokenFile += ".token";
    if (const Status written = writeToken(tokenFile, pass->token); !written) return refuse(written.error());
    ListenOptions options;
    options.pass = std::move(*pass);
    liveToken_ = tokenFile;
    const auto address = live_.listen(options, file);
    if (!address) {
        forgetToken();
        return refuse(address.error());
    }
    model(Workspace::Run).clear();
    for (const char* topic : {"live", "run"}) messages_.withdraw(QString::fromLatin1(topic));
    Q_EMIT workspaceRequested(Workspace::Run);
    const QString start =
        QStringLiteral("SHARDLAB_ADDRESS=%1 SHARDLAB_TOKEN_FILE=%2 PYTHONPATH=%3 python3 train.py")
            .arg(QString::fromStdString(address->text()), text(tokenFile), text(resourcesFolder() / "live"));
    messages_.post({.level = MessageLevel::Info,
                    .title = tr("Listening at %1 for a program that says “import shardlab”").arg(live_.place()),
                    .detail = start,
                    .choices = {{tr("Copy the command"), [start] { QGuiApplication::clipboard()->setText(start); }}},
                    .topic = "live",
                    .holds = [this] { return live_.active(); }});
    return true;
}

void Workbench::forgetToken() {
    std::error_code ignored;
    if (!liveToken_.empty()) std::filesystem::remove(std::exchange(liveToken_, {}), ignored);
}

void Workbench::followLive() {
    connect(&live_, &LiveSession::changed, this, [this] {
        if (!live_.active()) forgetToken();
    });
    connect(&live_, &LiveSession::begun, this, [this] {
        messages_.withdraw("live");
        recent_.add(live_.file());
    });
    connect(&live_, &LiveSession::copyFailed, this, [this](const Error& error) {
        messages_.post(tr("The watched run is still shown but no longer copied"), error, "live",
                       whileShownInRun(live_.file()));
    });
    connect(&live_, &LiveSession::failed, this, [this](const QString& reason) {
        const bool some = !model(Workspace::Run).empty() && model(Workspace::Run).file() == live_.file();
        if (some) return sayWatched(tr("Watching %1 has ended").arg(live_.place()), reason, MessageLevel::Error);
        messages_.post({.level = MessageLevel::Error,
                        .title = tr("Cannot watch %1").arg(live_.place()),
                        .detail = reason,
                        .topic = "live",
                        .holds = whileShownInRun(live_.file())});
    });
    connect(&live_, &LiveSession::ended, this, [this](const RunEnd& end) {
        if (live_.listening())
            return sayWatched(end.outcome == "failed" ? tr("The program ended before its run was complete")
                                                      : tr("The program finished"),
                              end.outcome == "failed" ? logWords(end.reason) : text(live_.file()),
                              end.outcome == "failed" ? MessageLevel::Error : MessageLevel::Info);
        if (end.outcome == "failed")
            return sayWatched(tr("The watched run failed"), logWords(end.reason), MessageLevel::Error);
        const QString failed = failedCheckpointsText(model(Workspace::Run));
        sayWatched(end.outcome == "stopped" ? tr("The watched run was stopped") : tr("The watched run finished"),
                   failed.isEmpty() ? text(live_.file()) : failed,
                   failed.isEmpty() ? MessageLevel::Info : MessageLevel::Warning);
    });
}

/// One job at a time: each would slow the other down, and figures would be of neither.
void Workbench::followLessons() {
    lessons_.setGate([this]() -> QString {
        if (run_.active())
            return tr("A run is under way. Stop it or wait for its end: two runs at once would slow each other down.");
        if (measure_.active()) return tr("This machine is being measured; wait for the end of the measurement.");
        return {};
    });
    connect(&lessons_, &LessonSession::refused, this, [this](const QString& reason) {
        messages_.post({.level = MessageLevel::Warning,
                        .title = tr("The experiment did not start"),
                        .detail = reason,
                        .topic = "lesson",
                        .holds = [this] { return run_.active() || measure_.active(); }});
    });
    connect(&lessons_, &LessonSession::handoutWritten, this,
            [this](const QString& file, const Error* whyNot) { sayWritten(file, whyNot, Workspace::Learn); });
    connect(&lessons_, &LessonSession::changed, this, [this] {
        if (lessons_.active()) messages_.withdraw("lesson");
    });
    connect(&lessons_, &LessonSession::designRequested, this, [this] { Q_EMIT workspaceRequested(Workspace::Design); });
}

bool Workbench::freeOfLessons(const QString& refusal) {
    if (!lessons_.active()) return true;
    messages_.post(
        {.level = MessageLevel::Warning,
         .title = refusal,
         .detail = tr("The experiment %1 of a lesson is running: two runs at once would slow each other down.")
                       .arg(lessons_.runningExperiment()),
         .choices = {{tr("Stop the experiment"), [this] { lessons_.stop(); }}},
         .topic = "run",
         .holds = [this] { return lessons_.active(); }});
    return false;
}

void Workbench::showPrediction() {
    RunModel& design = model(Workspace::Design);
    // With faults, or while a large plan is made, the last prediction stays: typing "16" passes through "1".
    if (!document_.plan() || !document_.planIsCurrent()) return;
    design.begin(headerOf(*document_.plan()), document_.plan()->simulation.events);
}

}  // namespace shardlab::ui
