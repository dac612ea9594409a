// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/commands.h"

#include "ui/core/child.h"

namespace shardlab::ui {
namespace {

constexpr CommandSpec specs[] = {
    {"file.new", "File", "New layout", "Ctrl+N", "Begin with the default layout"},
    {"file.open", "File", "Open …", "Ctrl+O",
     "Open a layout or a recorded run, or make a layout of another trainer's configuration"},
    {"file.import", "File", "Import traces …", "Ctrl+I",
     "Make a run of what PyTorch's profiler or another program recorded"},
    {"file.connect", "File", "Connect …", "Ctrl+Shift+O", "Watch a run that another machine serves, from its start"},
    {"file.listen", "File", "Listen for a program", "", "Show what a training script of your own sends while it runs"},
    {"file.share", "File", "Share runs …", "", "Let others watch the runs that start here, from their own machines"},
    {"file.save", "File", "Save", "Ctrl+S", "Write the layout to its file"},
    {"file.saveAs", "File", "Save as …", "Ctrl+Shift+S", "Write the layout to another file"},
    {"file.quit", "File", "Quit", "Ctrl+Q", "Close Shardlab, after the run under way has ended"},
    {"edit.undo", "Edit", "Undo", "Ctrl+Z", "Take back the last change of the layout"},
    {"edit.redo", "Edit", "Redo", "Ctrl+Shift+Z;Ctrl+Y", "Make the change again that was taken back"},
    {"plan.search", "Edit", "Plan for me", "Ctrl+P", "Try every legal layout for this model, cluster and batch"},
    {"run.start", "Run", "Run this layout", "Ctrl+R", "Train this layout now, on the ranks it asks for"},
    {"export.megatron", "Run", "Export for Megatron-LM …", "",
     "Show the layout in Design as arguments of Megatron-LM, and save them"},
    {"export.torchtitan", "Run", "Export for torchtitan …", "",
     "Show the layout in Design as a configuration of torchtitan, and save it"},
    {"export.deepspeed", "Run", "Export for DeepSpeed …", "",
     "Show the layout in Design as a configuration of DeepSpeed, and save it"},
    {"export.accelerate", "Run", "Export for accelerate …", "",
     "Show the layout in Design as a configuration of accelerate, and save it"},
    {"export.last", "Run", "Export for the last trainer …", "Ctrl+Shift+E",
     "Show the layout in Design as a configuration of the trainer that was chosen last"},
    {"run.pause", "Run", "Pause", "Space", "Pause after this step, or go on"},
    {"run.step", "Run", "Step", ".", "Run one more step, then pause"},
    {"run.checkpoint", "Run", "Checkpoint now", "Ctrl+Shift+C",
     "Write the state of the run to disk after this step, while it goes on"},
    {"run.fewer", "Run", "Fewer replicas", "",
     "Let an elastic run (Fewest replicas, in Design) continue with the next smaller number of replicas, from a "
     "checkpoint after this step"},
    {"run.more", "Run", "More replicas", "",
     "Let an elastic run continue with the next larger number of replicas, up to the layout's, from a checkpoint after "
     "this step"},
    {"run.kill", "Run", "Kill the selected rank", "",
     "Inject a fault: the rank's process dies at once, and the run ends or restarts from a checkpoint, as its layout "
     "says"},
    {"run.hang", "Run", "Stop the selected rank's process", "",
     "Inject a fault: the rank's process stands still at once, until the watchdog finds that it hangs"},
    {"run.stop", "Run", "Stop", "Ctrl+.", "End the run after this step; its file stays whole"},
    {"live.stop", "Run", "Disconnect", "",
     "Stop watching the served run: the run continues, and what has arrived is kept"},
    {"run.resume", "Run", "Checkpoints …", "Ctrl+Shift+K",
     "List the run's checkpoints and go on from one, with its own layout or another"},
    {"plan.measure", "Run", "Measure this machine", "",
     "Measure how long this layout's layers and messages take on this machine, so that predictions use the measured "
     "times"},
    {"replay.last", "Run", "Replay the last run", "Ctrl+Shift+R", "Open the run recorded last in Replay"},
    {"replay.cancel", "Run", "Stop reading", "",
     "Stop opening a run and keep what has been read, or stop an import and keep nothing"},
    {"workspace.home", "View", "Home", "Ctrl+0", "Go to the page with presets, recent files and lessons", true},
    {"workspace.design", "View", "Design", "Ctrl+1", "Design a layout and see its prediction", true},
    {"workspace.run", "View", "Run", "Ctrl+2", "Watch the run live", true},
    {"workspace.replay", "View", "Replay", "Ctrl+3", "Look at a recorded run again", true},
    {"workspace.learn", "View", "Learn", "Ctrl+4", "Read a lesson and run its experiments", true},
    {"lesson.present", "View", "Present the lesson", "F5",
     "Show the lesson that is read in Learn on the whole screen, one idea at a time, in large letters"},
    {"lesson.handout", "View", "Save the lesson as a handout …", "",
     "Write the lesson that is read in Learn as a PDF or HTML, with its questions and what was measured"},
    {"timeline.find", "View", "Find events …", "/",
     "Look for actions, kinds, ranks, steps or durations in the timeline"},
    {"timeline.nextHit", "View", "Next event found", "F3", "Select the next event that the search has found"},
    {"timeline.previousHit", "View", "Previous event found", "Shift+F3",
     "Select the previous event that the search has found"},
    {"timeline.step", "View", "Go to step …", "Ctrl+G", "Go to the step with a number that you type"},
    {"timeline.nextSlow", "View", "Next slow step", "Alt+.",
     "Go to the next step more than 20 % longer than the median one"},
    {"timeline.previousSlow", "View", "Previous slow step", "Alt+,",
     "Go to the previous step more than 20 % longer than the median one"},
    {"timeline.pin", "View", "Pin the rank", "P",
     "Keep the selected rank at the top of the timeline, or put it back in its place", true},
    {"timeline.group", "View", "Group ranks by the next axis", "G",
     "Put ranks with the same position on an axis of the mesh together: the next axis with each press, then none"},
    {"notes.add", "View", "Write a note …", "N", "Write a note at the cursor; the note is kept in the run file"},
    {"compare.prediction", "View", "Compare with the prediction", "Ctrl+D",
     "Show the opened run beside its prediction"},
    {"compare.run", "View", "Compare with another run …", "Ctrl+Shift+D",
     "Show the opened run beside another recorded run"},
    {"compare.end", "View", "Stop comparing", "", "Close the comparison"},
    {"view.path", "View", "Critical path", "C",
     "Draw the chain of actions that decides how long the predicted step takes", true},
    {"view.light", "View", "Light colours", "Ctrl+Shift+L", "Switch between dark and light colours", true},
    {"view.fullScreen", "View", "Full screen", "F11", "Fill the screen, or go back to a window", true},
    {"view.fill", "View", "Fill the workspace with this view", "F12",
     "Show only the view that has the keyboard focus, or all views again", true},
    {"view.table", "View", "Show the view as a table …", "Ctrl+T",
     "Show all that the view with the keyboard focus draws as a table to read, filter and copy"},
    {"view.saveFigure", "View", "Save the view as a figure …", "Ctrl+E",
     "Save the view that has the keyboard focus as SVG, PDF or PNG: with its title, in light colours, without buttons"},
    {"view.copySvg", "View", "Copy the view as SVG", "",
     "Copy the view that has the keyboard focus as a drawing of shapes and text"},
    {"view.copyPicture", "View", "Copy the view as a picture", "",
     "Copy the view that has the keyboard focus as an image of pixels"},
    {"view.reset", "View", "Reset arrangement", "", "Put the views of this workspace back in their first places"},
    {"view.nextPanel", "View", "Next view", "F6", "Move the keyboard focus to the next view"},
    {"view.previousPanel", "View", "Previous view", "Shift+F6", "Move the keyboard focus to the previous view"},
    {"help.palette", "Help", "Commands …", "Ctrl+K", "Find a command by its name"},
    {"help.manual", "Help", "Manual", "F1", "Read how Shardlab is used and built, with its glossary and file formats"},
    {"help.keys", "Help", "Keys", "?", "Show every key"},
    {"help.menu", "Help", "Main menu", "F10", "Open the menu with the keyboard"},
    {"help.about", "Help", "About Shardlab", "", "Show the version and the licences"},
};

}  // namespace

std::span<const CommandSpec> commandSpecs() { return specs; }

Commands::Commands(QObject* parent) : QObject(parent) {
    for (const CommandSpec& spec : specs) {
        auto* action = child<QAction>(tr(spec.title), this);
        action->setObjectName(QString::fromLatin1(spec.id));
        action->setCheckable(spec.checkable);
        action->setProperty("help", tr(spec.help));
        QList<QKeySequence> keys;
        for (const QString& key : QString::fromLatin1(spec.shortcut).split(QLatin1Char(';'), Qt::SkipEmptyParts))
            keys.append(QKeySequence(key, QKeySequence::PortableText));
        action->setShortcuts(keys);
        const QString hint =
            keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText));
        action->setToolTip(tr(spec.help) + hint);
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
