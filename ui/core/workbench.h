// SPDX-License-Identifier: GPL-3.0-or-later
// Everything of the desktop that is no widget: the document, the models and selections of the workspaces, the
// live run, the opened one, files and messages. A window shows it; tests drive it without one.
#pragma once

#include "engine/trace/checkpoint/config_layout.h"
#include "ui/core/compare_session.h"
#include "ui/core/document.h"
#include "ui/core/event_search.h"
#include "ui/core/home_session.h"
#include "ui/core/import_session.h"
#include "ui/core/lesson_session.h"
#include "ui/core/live_session.h"
#include "ui/core/measure_session.h"
#include "ui/core/messages.h"
#include "ui/core/recent_files.h"
#include "ui/core/replay_session.h"
#include "ui/core/run_model.h"
#include "ui/core/run_session.h"
#include "ui/core/search_session.h"
#include "ui/core/selection.h"
#include "ui/core/sharing.h"
#include "ui/core/theme.h"
#include "ui/core/view.h"

#include <QObject>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace shardlab::ui {

class Workbench : public QObject {
    Q_OBJECT
public:
    /// `runFolder`: where runs are recorded; made when the first one starts.
    Workbench(JobStarter starter, std::filesystem::path runFolder, QObject* parent = nullptr);

    ~Workbench() override;

    ViewContext context(Workspace workspace);
    Document& document() { return document_; }
    RunModel& model(Workspace workspace) { return models_[static_cast<std::size_t>(workspace)]; }
    Selection& selection(Workspace workspace) { return selections_[static_cast<std::size_t>(workspace)]; }
    EventSearch& events(Workspace workspace) { return *events_[static_cast<std::size_t>(workspace)]; }
    RunSession& run() { return run_; }
    SearchSession& search() { return search_; }
    MeasureSession& measure() { return measure_; }
    ReplaySession& replay() { return replay_; }
    CompareSession& compare() { return compare_; }
    ImportSession& imports() { return imports_; }
    LiveSession& live() { return live_; }
    LessonSession& lessons() { return lessons_; }
    HomeSession& home() { return home_; }
    Sharing& sharing() { return sharing_; }
    Messages& messages() { return messages_; }
    RecentFiles& recent() { return recent_; }
    ThemeSource& theme() { return theme_; }

    /// A layout, a run, another program's trace or another trainer's configuration, told apart by the file's content.
    /// What is wrong becomes a message.
    void open(const std::filesystem::path& file);
    /// Whether the file is a run or becomes one, so that opening it does not replace the layout.
    bool leavesLayoutAlone(const std::filesystem::path& file) const;
    bool openLayout(const std::filesystem::path& file);
    void openRun(const std::filesystem::path& file);
    /// Traces of one job become a run in the folder of runs, which is then opened; with a layout, that which the job
    /// trained, it is held against the layout's prediction. Dumps of a flight recorder become a message instead.
    void importTraces(std::vector<std::filesystem::path> files, const std::optional<Layout>& layout = {});
    bool saveLayout(const std::filesystem::path& file);
    void newFromPreset(const Layout& layout);
    /// Tells where a figure or a handout was written from this workspace, or why it was not.
    void sayWritten(const QString& file, const Error* whyNot, Workspace where);
    /// A layout of what another trainer's configuration or a config.json describes; what it leaves out becomes a
    /// message.
    void newFromTrainerFile(const std::filesystem::path& file);

    /// Runs the document's layout; with faults, says so and asks for the first faulty field.
    /// `resume`: a checkpoint to go on from.
    bool startRun(const std::filesystem::path& resume = {});
    /// Runs another layout, legal and with absolute paths. False, with a question that shows it, where the layout names
    /// a program to call other hosts with that the user has neither allowed before nor now: `agent` is its text.
    bool startRun(const Layout& layout, const std::filesystem::path& resume, const std::string& agent = {});
    /// Watches a run that is served elsewhere; its copy goes into the folder of runs. False, with a message, while a
    /// run of this machine or another watched one goes on.
    bool connectTo(const TcpAddress& address, const LinkPass& pass);
    /// Listens on this machine for programs that send what they do, and says how to start one; the run goes into the
    /// folder of runs. False, with a message, as connectTo.
    bool listenForPrograms();
    /// A run is made here or watched: the Run workspace is taken.
    bool runTaken() const { return run_.active() || live_.active(); }
    /// Measures the document's layout on this machine; with faults, says so as startRun does.
    void startMeasuring();
    /// Where the checkpoints of the run in sight lie: of the live run, else of the opened one; empty: no run.
    std::filesystem::path checkpoints() const;
    /// Where the next run of a layout will be recorded: its name and the time, never an existing file.
    std::filesystem::path nextRunFile(const Layout& layout) const;

Q_SIGNALS:
    void workspaceRequested(shardlab::ui::Workspace workspace);

private:
    bool judgedLegal(const QString& refusal);
    bool haveRunFolder(const QString& refusal);
    bool mayCallHosts(const Layout& layout, const std::filesystem::path& resume);
    void shrink(const Layout& layout);
    void askWhereToRun(const Layout& layout);
    void showPrediction();
    void followMeasuring();
    void followImporting();
    void sayImported(const ImportReport& report);
    /// What a layout of another program's file leaves out, and where it can go from this machine.
    void sayMade(const std::filesystem::path& file, const ConfigLayout& made);
    void sayWhoHangs(const std::vector<std::filesystem::path>& dumps);
    void forgetToken();
    bool freeForOther(const QString& refusal);
    void followLive();
    void followLessons();
    bool freeOfLessons(const QString& refusal);
    void sayWatched(const QString& what, const QString& detail, MessageLevel level);
    void sayStarted();
    void sayReplayed();
    void sayEnded(const RunEnd& end);
    /// Goes on from the newest checkpoint of a run that ended before its last step; none where it left no whole one.
    /// `created`: of the run, as its header has it: a shared folder may hold checkpoints of runs before it.
    std::optional<MessageChoice> resumeChoice(const Layout& layout, const std::filesystem::path& runFile,
                                              const std::string& created);
    void reviewMessages();
    std::function<bool()> whileOpened(const std::filesystem::path& file) const;
    /// Until the layout in Design is another: what was refused then is over.
    std::function<bool()> whileLayoutStays() const;
    std::function<bool()> whileShownInRun(const std::filesystem::path& file) const;

    std::filesystem::path runFolder_;
    Document document_;
    ThemeSource theme_;
    std::array<RunModel, workspaces.size()> models_;
    std::array<Selection, workspaces.size()> selections_;
    Messages messages_;
    RecentFiles recent_;
    SearchSession search_{document_};
    MeasureSession measure_{document_};
    Sharing sharing_;
    RunSession run_;
    ReplaySession replay_;
    CompareSession compare_;
    ImportSession imports_;
    LiveSession live_;
    LessonSession lessons_;
    std::vector<HostSpec> meantHosts_;  ///< other hosts that a person said are there
    HomeSession home_{document_, recent_, lessons_};
    std::filesystem::path liveToken_;  ///< the file that programs read; empty: none
    std::array<std::unique_ptr<EventSearch>, workspaces.size()> events_;
};

}  // namespace shardlab::ui
