// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "ui/core/child.h"
#include "ui/core/icons.h"
#include "ui/core/plain_labels.h"
#include "ui/core/file_columns.h"
#include "ui/core/tip_width.h"
#include "ui/core/workbench.h"
#include "ui/window/checkpoint_list.h"
#include "ui/window/connect_panel.h"
#include "ui/window/command_palette.h"
#include "ui/window/command_reasons.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/window/key_help.h"
#include "ui/window/main_menu.h"
#include "ui/window/message_area.h"
#include "ui/window/rail.h"
#include "ui/window/share_panel.h"
#include "ui/window/status_line.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace_area.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr auto geometryKey = "window/geometry";
constexpr auto workspaceKey = "window/workspace";
constexpr QSize firstSize(1440, 900);
constexpr QSize leastSize(860, 480);
constexpr int titleBar = 40;  ///< at most, above the window: its height is not known before the window is shown

QAction& workspaceAction(const Commands& commands, Workspace workspace) {
    static constexpr const char* ids[] = {"workspace.design", "workspace.run", "workspace.replay", "workspace.learn",
                                          "workspace.home"};
    return commands[ids[static_cast<int>(workspace)]];
}

}  // namespace

MainWindow::MainWindow(Workbench& workbench, Memory memory)
    : workbench_(workbench), memory_(memory), files_(child<FileActions>(workbench, this)) {
    child<PlainLabels>(this);
    child<TipWidth>(this);
    child<FileColumns>(this);
    setWindowIcon(programIcon());
    setMinimumSize(leastSize);
    setAcceptDrops(true);
    build();
    bindCommands();
    bindHome();
    restore();
    setFocusPolicy(Qt::ClickFocus);
    setFocus();
    qApp->installEventFilter(this);
    connect(&workbench, &Workbench::workspaceRequested, this, &MainWindow::showWorkspace);
    for (auto signal : {&Document::fileChanged, &Document::layoutChanged})
        connect(&workbench.document(), signal, this, &MainWindow::refreshTitle);
    refreshTitle();
}

MainWindow::~MainWindow() = default;

void MainWindow::build() {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(top_ = child<TopBar>(workbench_, commands_, this));
    auto* row = child<QHBoxLayout>();
    row->setSpacing(0);
    column->addLayout(row, 1);
    row->addWidget(child<Rail>(commands_, workbench_.theme(), this));
    row->addWidget(stack_ = child<QStackedWidget>(this), 1);
    messages_ = child<MessageArea>(workbench_.messages(), *stack_, this);
    stack_->setFrameShape(QFrame::NoFrame);
    for (const Workspace workspace : workspaces) {
        auto* area = child<WorkspaceArea>(workbench_.context(workspace), stack_);
        if (memory_ == Memory::Keep) area->restoreArrangement();
        connect(area, &WorkspaceArea::saved, &workbench_, [this, workspace](const QString& file, const Error* whyNot) {
            workbench_.sayWritten(file, whyNot, workspace);
        });
        areas_[static_cast<std::size_t>(workspace)] = area;
        stack_->addWidget(area);
    }
    column->addWidget(status_ = child<StatusLine>(workbench_, this));
    menu_ = child<MainMenu>(commands_, *files_, top_);
    top_->setMenuBar(*menu_);
    palette_ = child<CommandPalette>(
        commands_, [this](const QString& id) { return whyNot(id, workbench_, workspace_); }, this);
    keys_ = child<KeyHelp>(this);
    checkpoints_ = child<CheckpointList>(workbench_, this);
    connect_ = child<ConnectPanel>(workbench_, this);
    share_ = child<SharePanel>(workbench_, this);
    auto* group = child<QActionGroup>(this);
    for (const Workspace workspace : workspaces) group->addAction(&workspaceAction(commands_, workspace));
}

void MainWindow::showWorkspace(Workspace workspace) {
    storeArrangement();
    if (workspace != workspace_) workbench_.messages().leave(workspace_);
    workspace_ = workspace;
    workspaceAction(commands_, workspace).setChecked(true);
    const bool leaves = stack_->currentWidget() != &area(workspace) && stack_->isAncestorOf(focusWidget());
    stack_->setCurrentWidget(&area(workspace));
    if (leaves || workspace == Workspace::Home) giveKeyboardToWorkspace();
    top_->setWorkspace(workspace);
    status_->setWorkspace(workspace);
    menu_->setArea(area(workspace));
    std::vector<QAction*> toggles;
    for (const DockPanel* panel : area(workspace).panels())
        if (panel->features().testFlag(QDockWidget::DockWidgetClosable)) toggles.push_back(panel->toggleViewAction());
    commands_.setExtra(QStringLiteral("views"), std::move(toggles));
    refreshCommands();
}

/// No view of it in particular: the keys that serve in the whole workspace serve at once, and Tab goes on to its first
/// view. The home page is one view, whose cards are chosen with the arrows at once.
void MainWindow::giveKeyboardToWorkspace() {
    if (workspace_ == Workspace::Home) area(workspace_).panels().front()->view().setFocus(Qt::OtherFocusReason);
    else area(workspace_).setFocus(Qt::OtherFocusReason);
}

bool MainWindow::focusNextPrevChild(bool next) {
    // Qt asks for the next widget not only where a person presses Tab, but also where the one with the keyboard was
    // hidden or disabled. The next one is then often the program's name, whose Space leads home.
    const QWidget* had = focusWidget();
    if (had && !(had->isVisible() && had->isEnabled())) {
        giveKeyboardToWorkspace();
        return true;
    }
    const QWidget* leftOut = nullptr;  // the first of those that nobody sees
    while (QWidget::focusNextPrevChild(next)) {
        const QWidget* at = focusWidget();
        if (!at || !area(workspace_).hides(*at)) return true;
        if (at == leftOut) break;
        if (!leftOut) leftOut = at;
    }
    return false;
}

void MainWindow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    // Where the widget with the keyboard is gone, Qt would choose the first one of the window.
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && !focusWidget()) giveKeyboardToWorkspace();
}

void MainWindow::refreshTitle() {
    const std::filesystem::path& file = workbench_.document().file();
    const QString name =
        QString::fromStdString(file.empty() ? workbench_.document().layout().name : file.filename().string());
    setWindowTitle(tr("%1[*] — Shardlab").arg(name));
    setWindowModified(workbench_.document().unsaved());
}

void MainWindow::restore() {
    if (memory_ == Memory::Forget) {
        resize(firstSize);
        return showWorkspace(Workspace::Design);
    }
    const QSettings settings;
    if (!restoreGeometry(settings.value(geometryKey).toByteArray())) {
        const QSize available = screen()->availableSize();
        resize(firstSize.boundedTo(QSize(available.width(), available.height() - titleBar)));
    }
    const int index = std::clamp(settings.value(workspaceKey, 0).toInt(), 0, static_cast<int>(workspaces.size()) - 1);
    showWorkspace(static_cast<Workspace>(index));
}

void MainWindow::storeArrangement() const {
    if (memory_ == Memory::Keep) area(workspace_).storeArrangement();
}

void MainWindow::store() const {
    if (memory_ == Memory::Forget) return;
    QSettings settings;
    settings.setValue(geometryKey, saveGeometry());
    settings.setValue(workspaceKey, static_cast<int>(workspace_));
    storeArrangement();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (leaving_ || (!workbench_.run().active() && !workbench_.document().unsaved())) {
        store();
        event->accept();
        return;
    }
    event->ignore();
    if (!workbench_.run().active()) return leave();
    if (endingRun_) return;
    workbench_.messages().post({.level = MessageLevel::Warning,
                                .title = tr("A run is training"),
                                .detail = tr("Closing ends it; what was recorded so far stays in %1.")
                                              .arg(QString::fromStdString(workbench_.run().runFile().string())),
                                .choices = {{tr("End the run and close"),
                                             [this] {
                                                 endingRun_ = true;
                                                 if (!workbench_.run().active()) return leave();
                                                 workbench_.run().stop();
                                             }},
                                            {tr("Keep running"), [] {}}},
                                .topic = "closing",
                                .holds = [this] { return workbench_.run().active(); }});
}

void MainWindow::endAndClose() {
    asking_ = false;
    endingRun_ = true;
    if (!workbench_.run().active()) return leave();
    workbench_.run().stop();
}

void MainWindow::leave() {
    if (!asking_) {
        leaving_ = true;
        close();
        return;
    }
    files_->whenSaved(tr("Close Shardlab?"), [this] {
        leaving_ = true;
        close();
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && std::ranges::all_of(urls, &QUrl::isLocalFile)) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !std::ranges::all_of(urls, &QUrl::isLocalFile)) return;
    event->acceptProposedAction();
    if (urls.size() == 1) return files_->open(urls.front().toLocalFile());
    // Only traces come in several files.
    std::vector<std::filesystem::path> files;
    for (const QUrl& url : urls) files.emplace_back(url.toLocalFile().toStdString());
    workbench_.importTraces(std::move(files));
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
    const auto& key = *static_cast<QKeyEvent*>(event);
    // Space presses the button or ticks the row that has the keyboard; only elsewhere it pauses the run.
    if (key.key() == Qt::Key_Space &&
        (qobject_cast<QAbstractButton*>(watched) || qobject_cast<QAbstractItemView*>(watched)))
        event->accept();
    // Where no desktop says otherwise, text fields of X11 take Ctrl+E and others for moving in a line.
    const auto* field = qobject_cast<QWidget*>(watched);
    if (!field || field->window() != this || !key.modifiers().testFlag(Qt::ControlModifier) ||
        key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo))
        return QWidget::eventFilter(watched, event);
    const QList<QAction*> commands = actions();
    const bool isCommand = std::ranges::any_of(commands, [&](const QAction* command) {
        return command->shortcuts().contains(QKeySequence(key.keyCombination()));
    });
    if (isCommand) event->ignore();
    return isCommand;
}

}  // namespace shardlab::ui
