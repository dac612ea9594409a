// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_reasons.h"

#include "ui/core/workbench.h"
#include "ui/core/words.h"

namespace shardlab::ui {
namespace {

struct Situation {
    Workbench& workbench;
    Workspace workspace;

    bool running() const { return workbench.run().active(); }
    bool home() const { return workspace == Workspace::Home; }
};

QString ofEdit(const Situation& now, const char* nothing) {
    return now.workspace == Workspace::Design ? tr(nothing) : tr("only in Design, whose changes it is for");
}

QString ofStart(const Situation& now) {
    if (now.workbench.measure().active()) return tr("this machine is being measured");
    return now.running() ? tr("a run is under way: stop it first") : tr("a run is being watched: disconnect first");
}

QString ofRun(const Situation& now) {
    if (!now.running()) return tr("no run is under way");
    if (now.workspace != Workspace::Run) return tr("only in Run (Ctrl+2)");
    return tr("the run is starting or ending");
}

QString ofReplicas(const Situation& now) {
    if (!now.running()) return tr("no run is under way");
    return tr("only for an elastic run that is not at its limit (Fewest replicas, in Design)");
}

QString ofRank(const Situation& now) {
    if (now.running() && now.workspace == Workspace::Run && now.workbench.selection(Workspace::Run).rank() < 0)
        return tr("no rank is selected: click one in the timeline or the mesh");
    return ofRun(now);
}

QString ofComparison(const Situation& now) {
    if (now.workbench.model(Workspace::Replay).file().empty()) return tr("no run is open in Replay (Ctrl+O)");
    return tr("the opened run has no prediction");
}

QString ofTimeline(const Situation& now) {
    if (now.home()) return tr("the home page has no timeline");
    return tr("no search has found an event: press / first");
}

}  // namespace

QString whyNot(const QString& command, Workbench& workbench, Workspace workspace) {
    const Situation now{workbench, workspace};
    if (command == QLatin1String("edit.undo")) return ofEdit(now, QT_TR_NOOP("nothing was changed"));
    if (command == QLatin1String("edit.redo")) return ofEdit(now, QT_TR_NOOP("nothing was taken back"));
    for (const char* started : {"run.start", "run.resume", "plan.measure", "file.connect", "file.listen"})
        if (command == QLatin1String(started)) return ofStart(now);
    if (command == QLatin1String("run.fewer") || command == QLatin1String("run.more")) return ofReplicas(now);
    if (command == QLatin1String("run.kill") || command == QLatin1String("run.hang")) return ofRank(now);
    if (command == QLatin1String("run.stop"))
        return now.running() ? tr("the run is ending already") : tr("no run is under way");
    if (command == QLatin1String("live.stop")) return tr("no run of another machine is being watched");
    if (command.startsWith(QLatin1String("run."))) return ofRun(now);
    if (command == QLatin1String("compare.end")) return tr("nothing is being compared");
    if (command.startsWith(QLatin1String("compare."))) return ofComparison(now);
    if (command == QLatin1String("replay.cancel")) return tr("nothing is being read or imported");
    if (command == QLatin1String("file.import")) return tr("traces are being imported");
    if (command == QLatin1String("timeline.pin") && !now.home())
        return tr("no rank is selected: click one in the timeline or the mesh");
    if (command.startsWith(QLatin1String("timeline."))) return ofTimeline(now);
    if (command.startsWith(QLatin1String("lesson."))) return tr("only in Learn (Ctrl+4)");
    if (command == QLatin1String("notes.add"))
        return workspace == Workspace::Run || workspace == Workspace::Replay
                   ? tr("there is no run here to write a note on")
                   : tr("only in Run and Replay: notes belong to a run");
    if (command.startsWith(QLatin1String("view.")) && now.home()) return tr("the home page has no views");
    return tr("not possible now");
}

}  // namespace shardlab::ui
