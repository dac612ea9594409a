// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/order_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/elided_label.h"
#include "ui/core/field_words.h"
#include "ui/core/hint.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/views/order/order_grid.h"

#include "engine/base/file.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "ui/core/words.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int scrollMargin = 40;  ///< seen beside the current cell
constexpr int leastHeight = 24;   ///< a row of the grid
const char* const filter = QT_TR_NOOP("Schedules (*.csv);;All files (*)");

/// "pipeline rank 2, action 4, 2B0: it comes before … Legal: …" on one line.
QString inWords(const Schedule& order, const Finding& wrong) {
    const Sentence place = placeOf(order, wrong);
    return faultReason({{}, {}, place.empty() ? wrong.why : base::say("{}: {}", place, wrong.why), wrong.legal});
}

}  // namespace

OrderView::OrderView(const ViewContext& context, QWidget* parent)
    : View(context, parent), area_(child<QScrollArea>(this)), grid_(child<OrderGrid>(context.theme, nullptr)),
      missing_(child<Hint>(this)), field_(child<QPushButton>(tr("Go to the field"), this)),
      hand_(child<QPushButton>(this)), save_(child<QPushButton>(tr("Save CSV …"), this)),
      message_(child<ElidedLabel>(this)), foot_(new QBoxLayout(QBoxLayout::LeftToRight)),
      typing_(child<QLineEdit>(grid_)) {
    area_->setWidget(grid_);
    area_->setWidgetResizable(true);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->setMinimumHeight(leastHeight);  // in a low panel what is said comes first
    setFocusProxy(grid_);
    typing_->hide();
    typing_->setAccessibleName(tr("Actions in this place"));
    typing_->installEventFilter(this);
    auto* open = child<QPushButton>(tr("Open CSV …"), this);
    open->setToolTip(tr("Take the order from a file with one line for each pipeline rank, as "
                        "torch.distributed.pipelining and Shardlab write it"));
    save_->setToolTip(
        tr("Write the order to a file with one line for each pipeline rank, as torch.distributed.pipelining reads it"));
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(0, 0, 6, 2);
    bar->setSpacing(4);
    bar->addStretch(1);
    field_->setToolTip(tr("Show the field that has to be changed first"));
    for (QPushButton* button : {field_, hand_, open, save_}) {
        button->setProperty("role", QStringLiteral("flat"));
        bar->addWidget(button);
    }
    message_->setWordWrap(true);
    foot_->setContentsMargins(10, 2, 0, 0);
    foot_->setSpacing(4);
    foot_->addWidget(message_, 1);
    foot_->addLayout(bar);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 0);
    column->setSpacing(0);
    column->addWidget(area_, 1);
    column->addWidget(missing_, 1);
    column->addLayout(foot_);

    connect(area_->horizontalScrollBar(), &QScrollBar::valueChanged, grid_, qOverload<>(&QWidget::update));
    connect(grid_, &OrderGrid::currentChanged, this, &OrderView::select);
    connect(grid_, &OrderGrid::dragged, this, [this](OrderPlace from, int to) {
        const Schedule order = scheduleOfLines(context_.document.layout().schedule.actions).value_or(Schedule{});
        showOrder(movedOrder(order, from, to), {from.rank, to});
    });
    connect(grid_, &OrderGrid::dragCancelled, this, &OrderView::refresh);
    connect(grid_, &OrderGrid::moved, this, &OrderView::move);
    connect(grid_, &OrderGrid::typingAsked, this, &OrderView::askForText);
    connect(field_, &QPushButton::clicked, this,
            [this] { context_.document.requestField(text(context_.document.faults().front().pointer)); });
    connect(hand_, &QPushButton::clicked, this, &OrderView::switchHand);
    connect(open, &QPushButton::clicked, this, &OrderView::askToOpen);
    connect(save_, &QPushButton::clicked, this, &OrderView::askToSave);
    connect(&context_.document, &Document::layoutChanged, this, &OrderView::refresh);
    connect(&context_.document, &Document::fieldRequested, this, [this](const QString& pointer) {
        if (!pointer.startsWith(QStringLiteral("/schedule/actions"))) return;
        Q_EMIT sightWanted();
        grid_->setFocus(Qt::OtherFocusReason);
    });
    connect(&context_.selection, &Selection::eventChanged, this, &OrderView::followSelection);
    refresh();
}

bool OrderView::byHand() const { return context_.document.layout().schedule.kind == customKind; }

void OrderView::refresh() {
    const Layout& layout = context_.document.layout();
    typing_->hide();
    if (!byHand() && findScheduleMethod(layout.schedule.kind)) generated_ = layout.schedule.kind;
    const Result<Schedule> order = byHand() ? scheduleOfLines(layout.schedule.actions)
                                            : generateSchedule(layout.schedule.kind, scheduleShape(layout));
    plain_ = order && std::ranges::all_of(order->ranks, [](const auto& actions) {
                 return std::ranges::all_of(
                     actions, [](const Action& action) { return isCompute(action.kind) && action.version < 0; });
             });
    hand_->setText(byHand() ? tr("Back to %1").arg(text(generated_)) : tr("Edit by hand"));
    hand_->setEnabled(byHand() || plain_);
    hand_->setToolTip(byHand() ? tr("Discard this order and use the schedule's own again")
                      : plain_
                          ? tr("Copy this order into the layout, where you can change each action")
                          : tr("%1 keeps several versions of the weights: its order can be seen here, but not edited")
                                .arg(text(generated_)));
    grid_->setEditable(byHand() && order.has_value());
    save_->setEnabled(order.has_value());
    area_->setVisible(order.has_value());
    missing_->setVisible(!order);
    field_->setVisible(!order && !byHand());
    if (order) {
        showOrder(*order, grid_->current());
    } else {
        grid_->display({}, {});
        say({}, "dim");
        const auto& faults = context_.document.faults();
        missing_->setText(tr("No order can be made of this layout."),
                          faults.empty() ? told(order.error()) : faultsText(faults));
    }
    Q_EMIT subtitleChanged();
}

std::optional<Finding> OrderView::misfit(const Schedule& order) const {
    return byHand() ? findMisfit(order, scheduleShape(context_.document.layout())) : std::nullopt;
}

void OrderView::showOrder(const Schedule& order, OrderPlace current) {
    const std::optional<Finding> wrong = misfit(order);
    grid_->display(order, wrong);
    grid_->setCurrent(current);
    if (current.rank >= 0) {
        const QRect cell = grid_->cellRect(current);
        area_->ensureVisible(cell.center().x(), cell.center().y(), cell.width() / 2 + scrollMargin, cell.height());
    }
    sayState(order, wrong);
}

void OrderView::sayState(const Schedule& order, const std::optional<Finding>& wrong) {
    if (wrong) return say(inWords(order, *wrong), "bad");
    if (byHand())
        return say(tr("Drag an action, or move it with Ctrl+← and Ctrl+→; F2 types another in its place"), "dim");
    say(plain_ ? tr("This is the order that %1 makes").arg(text(generated_))
               : tr("This is the order that %1 makes; with several versions of the weights it cannot be edited by hand")
                     .arg(text(generated_)),
        "dim");
}

void OrderView::say(const QString& text, const char* role) {
    message_->setText(text);
    message_->setToolTip(text);
    message_->setAccessibleName(text);
    setRole(*message_, role);
    // The reason of a bad order is long and has a line of its own; what else is said leaves the room to the rows.
    foot_->setDirection(role == QLatin1String("bad") ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QString OrderView::message() const {
    return missing_->isHidden() ? message_->text() : missing_->text() + message_->text();
}

void OrderView::commit(const Schedule& order, const QString& what) {
    Layout layout = withOwnSchedule(context_.document.layout(), order);
    if (layout == context_.document.layout()) return refresh();
    context_.document.change(std::move(layout), what);
}

void OrderView::move(OrderPlace from, int to) {
    const Result<Schedule> order = scheduleOfLines(context_.document.layout().schedule.actions);
    if (!order) return;
    const Action* action = actionAt(*order, from);
    if (!action) return;
    const QString what = tr("Move %1").arg(text(toText(*action)));
    grid_->setCurrent({});  // the place means another action now
    commit(movedOrder(*order, from, to), what);
    grid_->setCurrent({from.rank, to});
    const QRect cell = grid_->cellRect({from.rank, to});
    area_->ensureVisible(cell.center().x(), cell.center().y(), cell.width() / 2 + scrollMargin, cell.height());
}

void OrderView::askForText(OrderPlace at) {
    const Action* action = actionAt(grid_->schedule(), at);
    if (!action) return;
    typedAt_ = at;
    const QRect cell = grid_->cellRect(at);
    typing_->setText(text(toText(*action)));
    typing_->setGeometry(cell.x() - 4, cell.y() - 2, std::max(110, cell.width() + 8), cell.height() + 4);
    typing_->selectAll();
    typing_->show();
    typing_->setFocus(Qt::OtherFocusReason);
    say(tr("Type one action or several, such as 2I3,2W3; an empty field removes the action. Enter applies the change, "
           "Esc cancels it"),
        "dim");
}

void OrderView::takeText() {
    const Result<Schedule> order = retypedOrder(grid_->schedule(), typedAt_, typing_->text().toStdString());
    if (!order) return say(told(order.error()), "bad");
    typing_->hide();
    grid_->setFocus(Qt::OtherFocusReason);
    // Removing a stage's last action would take the stage, and with it the rows' meaning, out of the order.
    if (const auto read = scheduleOfLines(actionLines(*order)); !read) return say(told(read.error()), "bad");
    commit(*order, tr("Type %1").arg(typing_->text().trimmed()));
}

bool OrderView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != typing_ || event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: takeText(); return true;  // the line would hand it on to the grid, which asks for text
    case Qt::Key_Escape:
        refresh();
        grid_->setFocus(Qt::OtherFocusReason);
        return true;
    default: return View::eventFilter(watched, event);
    }
}

void OrderView::switchHand() {
    const Layout& layout = context_.document.layout();
    if (byHand())
        context_.document.change(generatedAgain(layout, generated_),
                                 tr("Back to the schedule %1").arg(text(generated_)));
    else context_.document.change(withScheduleKind(layout, customKind), tr("Edit the schedule by hand"));
}

void OrderView::askToOpen() {
    auto* dialog = child<QFileDialog>(this, tr("Open a schedule"), QString(), ui::tr(filter));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &OrderView::openCsv);
    dialog->open();
}

void OrderView::askToSave() {
    auto* dialog = child<QFileDialog>(this, tr("Save the schedule"), QString(), ui::tr(filter));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(text(context_.document.layout().schedule.kind) + QStringLiteral(".csv"));
    connect(dialog, &QFileDialog::fileSelected, this, &OrderView::saveCsv);
    dialog->open();
}

void OrderView::openCsv(const QString& file) {
    const QString name = QFileInfo(file).fileName();
    const Result<std::string> csv = readFile(file.toStdString());
    const Result<ImportedSchedule> imported = csv ? importCsv(*csv) : Result<ImportedSchedule>(fail(csv.error()));
    if (!imported) return say(tr("Cannot open %1: %2").arg(name, told(imported.error())), "bad");
    commit(imported->compute, tr("Open the schedule %1").arg(name));
    if (misfit(imported->compute)) return;  // said already, and more pressing
    QStringList notes;
    for (const Sentence& note : imported->notes) notes << told(note);
    say(tr("Opened %1%2")
            .arg(name, notes.isEmpty() ? QString() : QStringLiteral(": ") + notes.join(QStringLiteral("; "))),
        "dim");
}

void OrderView::saveCsv(const QString& file) {
    const QString name = QFileInfo(file).fileName();
    const Status written = replaceFile(file.toStdString(), toCsv(grid_->schedule()));
    if (!written) return say(tr("Cannot save %1: %2").arg(name, told(written.error())), "bad");
    say(tr("Saved %1").arg(name), "dim");
}

void OrderView::select() {
    const Action* action = actionAt(grid_->schedule(), grid_->current());
    if (!action || context_.model.empty()) return;
    const ActionId id = actionId(*action);
    const auto& chosen = context_.selection.event();
    if (chosen && chosen->action == id) return;
    for (int rank = 0; rank < rankCount(context_.model.header().layout); ++rank)
        for (const Event& event : context_.model.prediction().lane(rank, Lane::Compute))
            if (event.action == id) return context_.selection.select(event);
}

void OrderView::followSelection() {
    const auto& chosen = context_.selection.event();
    if (!chosen || chosen->action == 0) return;
    const Action action = actionFromId(chosen->action);
    if (const Action* current = actionAt(grid_->schedule(), grid_->current()); current && *current == action) return;
    const Schedule& order = grid_->schedule();
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        const auto found = std::ranges::find(order.ranks[rank], action);
        if (found == order.ranks[rank].end()) continue;
        const OrderPlace place{static_cast<int>(rank), static_cast<int>(found - order.ranks[rank].begin())};
        grid_->setCurrent(place);
        const QRect cell = grid_->cellRect(place);
        return area_->ensureVisible(cell.center().x(), cell.center().y(), cell.width() / 2 + scrollMargin,
                                    cell.height());
    }
}

QString OrderView::subtitle() const {
    if (!missing_->isHidden()) return {};
    const Schedule& order = grid_->schedule();
    std::size_t actions = 0;
    for (const auto& list : order.ranks) actions += list.size();
    const QString count = order.ranks.size() == 1
                              ? tr("%1 actions on 1 pipeline rank").arg(actions)
                              : tr("%1 actions on %2 pipeline ranks").arg(actions).arg(order.ranks.size());
    return byHand() ? tr("by hand · %1").arg(count) : QStringLiteral("%1 · %2").arg(text(generated_), count);
}

QString OrderView::asTable() const {
    QString table = tr("pipeline rank\torder\n");
    const std::vector<std::string> lines = actionLines(grid_->schedule());
    for (std::size_t rank = 0; rank < lines.size(); ++rank)
        table += QStringLiteral("%1\t%2\n")
                     .arg(rank)
                     .arg(QString::fromStdString(lines[rank]).replace(QLatin1Char(','), QLatin1Char('\t')));
    return table;
}

}  // namespace shardlab::ui
