// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/top_bar.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/workbench.h"
#include "ui/window/layout_words.h"
#include "ui/window/main_menu.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

namespace shardlab::ui {
namespace {

QLabel* chip(QWidget* parent, const char* role, const QString& accessible) {
    auto* label = child<QLabel>(parent);
    label->setProperty("role", role);
    label->setAccessibleName(accessible);
    label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    return label;
}

}  // namespace

TopBar::TopBar(Workbench& workbench, Commands& commands, QWidget* parent)
    : QFrame(parent), workbench_(workbench), commands_(commands) {
    setProperty("role", "topBar");
    setFixedHeight(46);
    auto* row = row_ = child<QHBoxLayout>(this);
    row->setContentsMargins(8, 0, 10, 0);
    row->setSpacing(8);

    brand_ = child<QToolButton>(this);
    brand_->setText(QStringLiteral("Shardlab"));
    brand_->setProperty("role", "brand");
    brand_->setFocusPolicy(Qt::TabFocus);
    brand_->setToolTip(commands["workspace.home"].toolTip());
    brand_->setAccessibleName(tr("Home"));
    connect(brand_, &QToolButton::clicked, &commands["workspace.home"], &QAction::trigger);
    row->addWidget(brand_);
    row->addWidget(name_ = chip(this, "chip", tr("Layout")));
    row->addWidget(degrees_ = chip(this, "chip", tr("Degrees")));
    row->addWidget(cluster_ = chip(this, "chip", tr("Cluster")));
    for (QLabel* rich : {name_, degrees_, cluster_}) rich->setTextFormat(Qt::RichText);  // names in them are escaped
    row->addStretch(1);

    progress_ = child<QProgressBar>(this);
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(160);
    progress_->setAccessibleName(tr("Reading the run file"));
    row->addWidget(progress_);
    row->addWidget(step_ = chip(this, "chipFigure", tr("Steps")));
    // What ends work stands left of what begins some: as it goes at the work's end, nothing that a late click could
    // start moves into its place.
    for (auto [slot, command, role] : std::initializer_list<std::tuple<QPushButton**, const char*, const char*>>{
             {&undo_, "edit.undo", nullptr},
             {&redo_, "edit.redo", nullptr},
             {&plan_, "plan.search", nullptr},
             {&cancel_, "replay.cancel", nullptr},
             {&new_, "file.new", nullptr},
             {&open_, "file.open", nullptr},
             {&pause_, "run.pause", nullptr},
             {&stepOnce_, "run.step", nullptr},
             {&checkpoint_, "run.checkpoint", nullptr},
             {&stop_, "run.stop", "primary"},
             {&disconnect_, "live.stop", "primary"},
             {&start_, "run.start", "primary"}}) {
        *slot = button(command, role);
        row->addWidget(*slot);
    }
    row->insertWidget(row->indexOf(start_), export_ = exportButton());

    connect(&workbench.document(), &Document::layoutChanged, this, &TopBar::refresh);
    connect(&workbench.document(), &Document::fileChanged, this, &TopBar::refresh);
    connect(&workbench.run(), &RunSession::stateChanged, this, &TopBar::refresh);
    connect(&workbench.live(), &LiveSession::changed, this, &TopBar::refresh);
    for (const Workspace workspace : {Workspace::Run, Workspace::Learn})
        connect(&workbench.model(workspace), &RunModel::reset, this, &TopBar::refresh);
    connect(&workbench.replay(), &ReplaySession::progressChanged, this, &TopBar::refresh);
    connect(&workbench.imports(), &ImportSession::progressChanged, this, &TopBar::refresh);
    connect(&workbench.replay(), &ReplaySession::opened, this, &TopBar::refresh);
    connect(&workbench.model(Workspace::Run), &RunModel::appended, this, &TopBar::refreshStep);
    refresh();
}

QPushButton* TopBar::button(const char* command, const char* role) {
    QAction& action = commands_[command];
    auto* made = child<QPushButton>(action.text(), this);
    if (role) made->setProperty("role", role);
    made->setFocusPolicy(Qt::TabFocus);  // a click leaves the keyboard to the workspace
    made->setObjectName(QStringLiteral("top.") + action.objectName());
    connect(made, &QPushButton::clicked, &action, &QAction::trigger);
    const auto follow = [made, &action] {
        made->setText(action.text());
        made->setToolTip(action.toolTip());
        made->setEnabled(action.isEnabled());
    };
    connect(&action, &QAction::changed, made, follow);
    follow();
    return made;
}

QPushButton* TopBar::exportButton() {
    auto* made = child<QPushButton>(tr("Export for …"), this);
    made->setFocusPolicy(Qt::TabFocus);
    made->setObjectName(QStringLiteral("top.export"));
    made->setProperty("role", "menu");
    made->setToolTip(tr("Show this layout as the configuration of another trainer, and save it"));
    auto* menu = child<QMenu>(made);
    for (const CommandSpec& spec : commandSpecs())
        if (const QString id = QString::fromLatin1(spec.id);
            id.startsWith(QStringLiteral("export.")) && id != QStringLiteral("export.last"))
            menu->addAction(&commands_[spec.id]);
    menu->setToolTipsVisible(true);
    made->setMenu(menu);
    return made;
}

void TopBar::setMenuBar(MainMenu& menu) {
    row_->insertWidget(1, &menu, 0, Qt::AlignVCenter);
    fit();
}

void TopBar::setWorkspace(Workspace workspace) {
    workspace_ = workspace;
    refresh();
}

const Layout* TopBar::shownLayout() const {
    switch (workspace_) {
    case Workspace::Design: return &workbench_.document().layout();
    case Workspace::Run:
        if (const RunModel& model = workbench_.model(Workspace::Run); workbench_.live().shown())
            return model.empty() ? nullptr : &model.header().layout;
        return workbench_.run().state() ? &workbench_.run().layout() : &workbench_.document().layout();
    case Workspace::Replay:
    case Workspace::Learn: break;
    case Workspace::Home: return nullptr;
    }
    const RunModel& shown = workbench_.model(workspace_);
    return shown.empty() ? nullptr : &shown.header().layout;
}

void TopBar::refresh() {
    const Layout* layout = shownLayout();
    const bool design = workspace_ == Workspace::Design;
    const bool replay = workspace_ == Workspace::Replay;
    const bool active = workbench_.run().active();
    const bool watching = workbench_.live().active();
    if (layout) {
        const QString mark = design && workbench_.document().unsaved() ? QStringLiteral(" •") : QString();
        name_->setText(QStringLiteral("<b>%1</b> · %2%3")
                           .arg(QString::fromStdString(layout->name).toHtmlEscaped(),
                                QString::fromStdString(layout->schedule.kind).toHtmlEscaped(), mark));
        const RunModel& shown = workbench_.model(workspace_);
        const bool foreign =
            (replay || (workspace_ == Workspace::Run && workbench_.live().shown())) && !shown.header().hasLayout();
        if (foreign)
            name_->setText(QStringLiteral("<b>%1</b> · %2")
                               .arg(QString::fromStdString(layout->name).toHtmlEscaped(), tr("from another program")));
        name_->setToolTip(mark.isEmpty() ? QString() : tr("Changed since it was saved"));
        degrees_->setText(foreign ? counted(shown.ranks(), tr("1 rank"), tr("%1 ranks")) : degreesText(*layout));
        cluster_->setText(foreign ? term(shown.header().origin).toHtmlEscaped() : clusterText(*layout));
    }
    undo_->setVisible(design);
    redo_->setVisible(design);
    plan_->setVisible(design);
    export_->setVisible(design);
    start_->setVisible(design || workspace_ == Workspace::Run);
    disconnect_->setVisible(workspace_ == Workspace::Run && watching);
    for (QPushButton* control : {pause_, stepOnce_, checkpoint_, stop_})
        control->setVisible(workspace_ == Workspace::Run && active);
    new_->setVisible(workspace_ == Workspace::Home);
    open_->setVisible(replay || workspace_ == Workspace::Home);
    const bool importing = workbench_.imports().active();
    cancel_->setVisible(replay && (workbench_.replay().reading() || importing));
    progress_->setVisible(cancel_->isVisibleTo(this));
    progress_->setValue(
        static_cast<int>((importing ? workbench_.imports().progress() : workbench_.replay().progress()) * 1000));
    progress_->setAccessibleName(importing ? tr("Importing traces") : tr("Reading the run file"));
    refreshStep();
    fit();
}

void TopBar::refreshStep() {
    const RunModel& model = workbench_.model(Workspace::Run);
    const bool elsewhere = workbench_.live().shown() && !model.empty();
    const bool shown =
        workspace_ == Workspace::Run && (elsewhere || (workbench_.run().state() && !workbench_.live().shown()));
    step_->setVisible(shown);
    if (!shown) return;
    std::size_t steps = model.empty() ? 0 : model.steps().all().size();
    while (steps > 0 && !model.steps().all()[steps - 1].complete) --steps;
    const int done = steps == 0 ? 0 : model.steps().all()[steps - 1].step + 1;  // with those before a checkpoint
    if (elsewhere) {
        const QString phase =
            workbench_.live().status().state == WatchStatus::State::Lost ? tr("connection lost · ") : QString();
        const bool known = model.header().origin.empty();
        return step_->setText(known ? tr("%1%2 of %3 steps").arg(phase).arg(done).arg(model.header().layout.run.steps)
                                    : tr("%1%2 steps").arg(phase).arg(done));
    }
    const RunState state = *workbench_.run().state();
    const bool steady = state == RunState::Running || state == RunState::Ended;
    const QString phase = steady ? QString() : term(name(state)) + QStringLiteral(" · ");
    step_->setText(tr("%1%2 of %3 steps").arg(phase).arg(done).arg(workbench_.run().layout().run.steps));
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void TopBar::fit() {
    // Chips give way to buttons, the least telling first.
    const bool any = shownLayout() != nullptr;
    name_->setVisible(any);
    degrees_->setVisible(any);
    cluster_->setVisible(any);
    for (QLabel* least : {cluster_, degrees_, name_}) {
        if (layout()->minimumSize().width() <= width()) break;
        least->hide();
    }
}

}  // namespace shardlab::ui
