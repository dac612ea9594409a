// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/commands.h"

#include "ui/core/child.h"
#include "ui/core/words.h"

namespace shardlab::ui {
namespace {

// The menus.
constexpr const char* fileMenu = QT_TR_NOOP("File");
constexpr const char* editMenu = QT_TR_NOOP("Edit");
constexpr const char* runMenu = QT_TR_NOOP("Run");
constexpr const char* viewMenu = QT_TR_NOOP("View");
constexpr const char* helpMenu = QT_TR_NOOP("Help");

constexpr CommandSpec specs[] = {
    {"file.new", fileMenu, QT_TR_NOOP("New layout"), "Ctrl+N", QT_TR_NOOP("Begin with the default layout")},
    {"file.open", fileMenu, QT_TR_NOOP("Open …"), "Ctrl+O",
     QT_TR_NOOP("Open a layout or a recorded run, or make a layout of another trainer's configuration")},
    {"file.import", fileMenu, QT_TR_NOOP("Import traces …"), "Ctrl+I",
     QT_TR_NOOP("Make a run of what PyTorch's profiler or another program recorded")},
    {"file.connect", fileMenu, QT_TR_NOOP("Connect …"), "Ctrl+Shift+O",
     QT_TR_NOOP("Watch a run that another machine serves, from its start")},
    {"file.listen", fileMenu, QT_TR_NOOP("Listen for a program"), "",
     QT_TR_NOOP("Show what a training script of your own sends while it runs")},
    {"file.share", fileMenu, QT_TR_NOOP("Share runs …"), "",
     QT_TR_NOOP("Let others watch the runs that start here, from their own machines")},
    {"file.save", fileMenu, QT_TR_NOOP("Save"), "Ctrl+S", QT_TR_NOOP("Write the layout to its file")},
    {"file.saveAs", fileMenu, QT_TR_NOOP("Save as …"), "Ctrl+Shift+S", QT_TR_NOOP("Write the layout to another file")},
    {"file.quit", fileMenu, QT_TR_NOOP("Quit"), "Ctrl+Q",
     QT_TR_NOOP("Close Shardlab, after the run under way has ended")},
    {"edit.undo", editMenu, QT_TR_NOOP("Undo"), "Ctrl+Z", QT_TR_NOOP("Take back the last change of the layout")},
    {"edit.redo", editMenu, QT_TR_NOOP("Redo"), "Ctrl+Shift+Z;Ctrl+Y",
     QT_TR_NOOP("Make the change again that was taken back")},
    {"plan.search", editMenu, QT_TR_NOOP("Plan for me"), "Ctrl+P",
     QT_TR_NOOP("Try every legal layout for this model, cluster and batch")},
    {"run.start", runMenu, QT_TR_NOOP("Run this layout"), "Ctrl+R",
     QT_TR_NOOP("Train this layout now, on the ranks it asks for")},
    {"export.megatron", runMenu, QT_TR_NOOP("Export for Megatron-LM …"), "",
     QT_TR_NOOP("Show the layout in Design as arguments of Megatron-LM, and save them")},
    {"export.megatron-bridge", runMenu, QT_TR_NOOP("Export for Megatron-Bridge …"), "",
     QT_TR_NOOP("Show the layout in Design as a recipe of Megatron-Bridge, and save it")},
    {"export.nemo", runMenu, QT_TR_NOOP("Export for NeMo …"), "",
     QT_TR_NOOP("Show the layout in Design as a recipe of NeMo, and save it")},
    {"export.torchtitan", runMenu, QT_TR_NOOP("Export for torchtitan 0.2 …"), "",
     QT_TR_NOOP("Show the layout in Design as a configuration of torchtitan 0.2, and save it")},
    {"export.torchtitan-0.3", runMenu, QT_TR_NOOP("Export for torchtitan 0.3 …"), "",
     QT_TR_NOOP("Show the layout in Design as a Python module for torchtitan 0.3, and save it")},
    {"export.deepspeed", runMenu, QT_TR_NOOP("Export for DeepSpeed …"), "",
     QT_TR_NOOP("Show the layout in Design as a configuration of DeepSpeed, and save it")},
    {"export.accelerate", runMenu, QT_TR_NOOP("Export for accelerate …"), "",
     QT_TR_NOOP("Show the layout in Design as a configuration of accelerate, and save it")},
    {"export.last", runMenu, QT_TR_NOOP("Export for the last trainer …"), "Ctrl+Shift+E",
     QT_TR_NOOP("Show the layout in Design as a configuration of the trainer that was chosen last")},
    {"run.operations", runMenu, QT_TR_NOOP("Record operations"), "",
     QT_TR_NOOP("Record in every tenth step of runs that start from now on, and are not paced, the operations within "
                "each action"),
     true},
    {"run.pause", runMenu, QT_TR_NOOP("Pause"), "Space", QT_TR_NOOP("Pause after this step, or go on")},
    {"run.step", runMenu, QT_TR_NOOP("Step"), ".", QT_TR_NOOP("Run one more step, then pause")},
    {"run.checkpoint", runMenu, QT_TR_NOOP("Checkpoint now"), "Ctrl+Shift+C",
     QT_TR_NOOP("Write the state of the run to disk after this step, while it goes on")},
    {"run.fewer", runMenu, QT_TR_NOOP("Fewer replicas"), "",
     QT_TR_NOOP(
         "Let an elastic run (Fewest replicas, in Design) continue with the next smaller number of replicas, from a "
         "checkpoint after this step")},
    {"run.more", runMenu, QT_TR_NOOP("More replicas"), "",
     QT_TR_NOOP("Let an elastic run continue with the next larger number of replicas, up to the layout's, from a "
                "checkpoint after "
                "this step")},
    {"run.kill", runMenu, QT_TR_NOOP("Kill the selected rank"), "",
     QT_TR_NOOP("Inject a fault: the rank's process dies at once, and the run ends or restarts from a checkpoint, as "
                "its layout "
                "says")},
    {"run.hang", runMenu, QT_TR_NOOP("Stop the selected rank's process"), "",
     QT_TR_NOOP("Inject a fault: the rank's process stands still at once, until the watchdog finds that it hangs")},
    {"run.stop", runMenu, QT_TR_NOOP("Stop"), "Ctrl+.",
     QT_TR_NOOP("End the run after this step; its file stays whole")},
    {"live.stop", runMenu, QT_TR_NOOP("Disconnect"), "",
     QT_TR_NOOP("Stop watching the served run: the run continues, and what has arrived is kept")},
    {"run.resume", runMenu, QT_TR_NOOP("Checkpoints …"), "Ctrl+Shift+K",
     QT_TR_NOOP("List the run's checkpoints and go on from one, with its own layout or another")},
    {"plan.measure", runMenu, QT_TR_NOOP("Measure this machine"), "",
     QT_TR_NOOP("Measure how long this layout's layers and messages take on this machine, so that predictions use the "
                "measured "
                "times")},
    {"replay.last", runMenu, QT_TR_NOOP("Replay the last run"), "Ctrl+Shift+R",
     QT_TR_NOOP("Open the run recorded last in Replay")},
    {"replay.cancel", runMenu, QT_TR_NOOP("Stop reading"), "",
     QT_TR_NOOP("Stop opening a run and keep what has been read, or stop an import and keep nothing")},
    {"workspace.home", viewMenu, QT_TR_NOOP("Home"), "Ctrl+0",
     QT_TR_NOOP("Go to the page with presets, recent files and lessons"), true},
    {"workspace.design", viewMenu, QT_TR_NOOP("Design"), "Ctrl+1", QT_TR_NOOP("Design a layout and see its prediction"),
     true},
    {"workspace.run", viewMenu, QT_TR_NOOP("Run"), "Ctrl+2", QT_TR_NOOP("Watch the run live"), true},
    {"workspace.replay", viewMenu, QT_TR_NOOP("Replay"), "Ctrl+3", QT_TR_NOOP("Look at a recorded run again"), true},
    {"workspace.learn", viewMenu, QT_TR_NOOP("Learn"), "Ctrl+4", QT_TR_NOOP("Read a lesson and run its experiments"),
     true},
    {"lesson.present", viewMenu, QT_TR_NOOP("Present the lesson"), "F5",
     QT_TR_NOOP("Show the lesson that is read in Learn on the whole screen, one idea at a time, in large letters")},
    {"lesson.handout", viewMenu, QT_TR_NOOP("Save the lesson as a handout …"), "",
     QT_TR_NOOP("Write the lesson that is read in Learn as a PDF or HTML, with its questions and what was measured")},
    {"timeline.find", viewMenu, QT_TR_NOOP("Find events …"), "/",
     QT_TR_NOOP("Look for actions, kinds, ranks, steps or durations in the timeline")},
    {"timeline.nextHit", viewMenu, QT_TR_NOOP("Next event found"), "F3",
     QT_TR_NOOP("Select the next event that the search has found")},
    {"timeline.previousHit", viewMenu, QT_TR_NOOP("Previous event found"), "Shift+F3",
     QT_TR_NOOP("Select the previous event that the search has found")},
    {"timeline.step", viewMenu, QT_TR_NOOP("Go to step …"), "Ctrl+G",
     QT_TR_NOOP("Go to the step with a number that you type")},
    {"timeline.nextSlow", viewMenu, QT_TR_NOOP("Next slow step"), "Alt+.",
     QT_TR_NOOP("Go to the next step more than 20 % longer than the median one")},
    {"timeline.previousSlow", viewMenu, QT_TR_NOOP("Previous slow step"), "Alt+,",
     QT_TR_NOOP("Go to the previous step more than 20 % longer than the median one")},
    {"timeline.pin", viewMenu, QT_TR_NOOP("Pin the rank"), "P",
     QT_TR_NOOP("Keep the selected rank at the top of the timeline, or put it back in its place"), true},
    {"timeline.group", viewMenu, QT_TR_NOOP("Group ranks by the next axis"), "G",
     QT_TR_NOOP(
         "Put ranks with the same position on an axis of the mesh together: the next axis with each press, then none")},
    {"notes.add", viewMenu, QT_TR_NOOP("Write a note …"), "N",
     QT_TR_NOOP("Write a note at the cursor; the note is kept in the run file")},
    {"compare.prediction", viewMenu, QT_TR_NOOP("Compare with the prediction"), "Ctrl+D",
     QT_TR_NOOP("Show the opened run beside its prediction")},
    {"compare.run", viewMenu, QT_TR_NOOP("Compare with another run …"), "Ctrl+Shift+D",
     QT_TR_NOOP("Show the opened run beside another recorded run")},
    {"compare.end", viewMenu, QT_TR_NOOP("Stop comparing"), "", QT_TR_NOOP("Close the comparison")},
    {"view.path", viewMenu, QT_TR_NOOP("Critical path"), "C",
     QT_TR_NOOP("Draw the chain of actions that decides how long the predicted step takes"), true},
    {"view.light", viewMenu, QT_TR_NOOP("Light colours"), "Ctrl+Shift+L",
     QT_TR_NOOP("Switch between dark and light colours"), true},
    {"language.system", viewMenu, QT_TR_NOOP("As the system"), "",
     QT_TR_NOOP("Show the desktop in the language of the system, from its next start on"), true},
    {"language.en", viewMenu, "English", "", QT_TR_NOOP("Show the desktop in English, from its next start on"), true},
    {"language.zh_CN", viewMenu, "简体中文", "",
     QT_TR_NOOP("Show the desktop in Simplified Chinese, from its next start on"), true},
    {"view.fullScreen", viewMenu, QT_TR_NOOP("Full screen"), "F11",
     QT_TR_NOOP("Fill the screen, or go back to a window"), true},
    {"view.fill", viewMenu, QT_TR_NOOP("Fill the workspace with this view"), "F12",
     QT_TR_NOOP("Show only the view that has the keyboard focus, or all views again"), true},
    {"view.table", viewMenu, QT_TR_NOOP("Show the view as a table …"), "Ctrl+T",
     QT_TR_NOOP("Show all that the view with the keyboard focus draws as a table to read, filter and copy")},
    {"view.saveFigure", viewMenu, QT_TR_NOOP("Save the view as a figure …"), "Ctrl+E",
     QT_TR_NOOP("Save the view that has the keyboard focus as SVG, PDF or PNG: with its title, in light colours, "
                "without buttons")},
    {"view.copySvg", viewMenu, QT_TR_NOOP("Copy the view as SVG"), "",
     QT_TR_NOOP("Copy the view that has the keyboard focus as a drawing of shapes and text")},
    {"view.copyPicture", viewMenu, QT_TR_NOOP("Copy the view as a picture"), "",
     QT_TR_NOOP("Copy the view that has the keyboard focus as an image of pixels")},
    {"view.reset", viewMenu, QT_TR_NOOP("Reset arrangement"), "",
     QT_TR_NOOP("Put the views of this workspace back in their first places")},
    {"view.nextPanel", viewMenu, QT_TR_NOOP("Next view"), "F6", QT_TR_NOOP("Move the keyboard focus to the next view")},
    {"view.previousPanel", viewMenu, QT_TR_NOOP("Previous view"), "Shift+F6",
     QT_TR_NOOP("Move the keyboard focus to the previous view")},
    {"help.palette", helpMenu, QT_TR_NOOP("Commands …"), "Ctrl+K", QT_TR_NOOP("Find a command by its name")},
    {"help.manual", helpMenu, QT_TR_NOOP("Manual"), "F1",
     QT_TR_NOOP("Read how Shardlab is used and built, with its glossary and file formats")},
    {"help.keys", helpMenu, QT_TR_NOOP("Keys"), "?", QT_TR_NOOP("Show every key")},
    {"help.menu", helpMenu, QT_TR_NOOP("Main menu"), "F10", QT_TR_NOOP("Open the menu with the keyboard")},
    {"help.about", helpMenu, QT_TR_NOOP("About Shardlab"), "", QT_TR_NOOP("Show the version and the licences")},
};

}  // namespace

std::span<const CommandSpec> commandSpecs() { return specs; }

Commands::Commands(QObject* parent) : QObject(parent) {
    for (const CommandSpec& spec : specs) {
        auto* action = child<QAction>(ui::tr(spec.title), this);
        action->setObjectName(QString::fromLatin1(spec.id));
        action->setCheckable(spec.checkable);
        action->setProperty("help", ui::tr(spec.help));
        QList<QKeySequence> keys;
        for (const QString& key : QString::fromLatin1(spec.shortcut).split(QLatin1Char(';'), Qt::SkipEmptyParts))
            keys.append(QKeySequence(key, QKeySequence::PortableText));
        action->setShortcuts(keys);
        const QString hint =
            keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText));
        action->setToolTip(ui::tr(spec.help) + hint);
        actions_.insert(action->objectName(), action);
    }
}

QAction& Commands::operator[](const char* id) const {
    QAction* action = actions_.value(QString::fromLatin1(id));
    Q_ASSERT_X(action, "Commands", id);
    return *action;
}

void Commands::bind(const char* id, std::function<void()> handler) {
    QAction& action = (*this)[id];
    Q_ASSERT_X(!bound_.contains(action.objectName()), "Commands::bind", id);
    bound_.append(action.objectName());
    connect(&action, &QAction::triggered, this, [handler = std::move(handler)] { handler(); });
}

QStringList Commands::unbound() const {
    QStringList ids;
    for (const CommandSpec& spec : specs)
        if (!bound_.contains(QString::fromLatin1(spec.id))) ids.append(QString::fromLatin1(spec.id));
    return ids;
}

void Commands::setExtra(const QString& group, std::vector<QAction*> actions) {
    for (auto& [name, list] : extra_) {
        if (name != group) continue;
        list = std::move(actions);
        return;
    }
    extra_.emplace_back(group, std::move(actions));
}

std::vector<QAction*> Commands::all() const {
    std::vector<QAction*> list;
    for (const CommandSpec& spec : specs) list.push_back(actions_.value(QString::fromLatin1(spec.id)));
    for (const auto& [name, actions] : extra_) list.insert(list.end(), actions.begin(), actions.end());
    return list;
}

}  // namespace shardlab::ui
