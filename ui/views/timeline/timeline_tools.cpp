// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/timeline_tools.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/event_search.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_walk.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/core/words.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace shardlab::ui {

TimelineTools::TimelineTools(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), field_(child<QLineEdit>(this)), found_(child<QLabel>(this)),
      previous_(button(QStringLiteral("‹"), tr("Previous event found"),
                       tr("Go to the previous event that was found (Shift+F3)"))),
      next_(button(QStringLiteral("›"), tr("Next event found"), tr("Go to the next event that was found (F3)"))),
      stepLabel_(child<QLabel>(tr("step"), this)), step_(child<QSpinBox>(this)),
      previousSlow_(button(QStringLiteral("‹"), tr("Previous slow step"), {})),
      nextSlow_(button(QStringLiteral("›"), tr("Next slow step"), {})), slow_(child<QLabel>(this)),
      grouping_(child<QComboBox>(this)),
      pin_(button(tr("Pin"), tr("Pin the rank"), tr("Keep the selected rank at the top (P)"))),
      refresh_(
          this, [this] { refresh(); }, 50) {
    field_->setPlaceholderText(tr("find: 3F7, wait rank 2, B > 5 ms"));
    field_->setAccessibleName(tr("Find events"));
    field_->setToolTip(tr(
        "Search for actions (3F7, F7, 3B), kinds (wait, send forward), rank 0-3, places (pp1), step 12, stage 2, mb 7, "
        "> 5 ms; an event must match every word. Return goes to the next event, Shift+Return to the previous one."));
    field_->setClearButtonEnabled(true);
    field_->setMinimumWidth(110);
    field_->setMaximumWidth(260);
    field_->installEventFilter(this);
    found_->setProperty("role", "small");
    slow_->setProperty("role", "small");
    stepLabel_->setProperty("role", "small");
    step_->setAccessibleName(tr("Step in sight"));
    step_->setToolTip(tr("Go to a step (Ctrl+G)"));
    step_->setKeyboardTracking(false);
    step_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    step_->setAlignment(Qt::AlignRight);
    grouping_->setAccessibleName(tr("Group ranks"));
    grouping_->setToolTip(tr("Put ranks with the same position on this axis of the mesh together (G)"));
    pin_->setCheckable(true);

    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(10, 0, 10, 0);
    row->setSpacing(4);
    row->addWidget(field_, 2);
    for (QToolButton* each : {previous_, next_}) row->addWidget(each);
    row->addWidget(found_, 1);
    row->addWidget(stepLabel_);
    row->addWidget(step_);
    row->addWidget(previousSlow_);
    row->addWidget(slow_);
    row->addWidget(nextSlow_);
    row->addWidget(grouping_);
    row->addWidget(pin_);

    EventSearch& search = context_.events;
    connect(field_, &QLineEdit::textChanged, &search, &EventSearch::setQuery);
    connect(previous_, &QToolButton::clicked, this, [&search] { search.go(-1); });
    connect(next_, &QToolButton::clicked, this, [&search] { search.go(1); });
    connect(step_, &QSpinBox::valueChanged, this, [this](int number) {
        const auto& extents = context_.model.steps().extents();
        for (std::size_t i = 0; i < extents.size(); ++i)
            if (extents[i].step == number) lookAtStep(context_.model, context_.selection, static_cast<int>(i));
    });
    connect(previousSlow_, &QToolButton::clicked, this,
            [this] { lookAtSlowStep(context_.model, context_.selection, -1); });
    connect(nextSlow_, &QToolButton::clicked, this, [this] { lookAtSlowStep(context_.model, context_.selection, 1); });
    connect(grouping_, &QComboBox::activated, this, [this] {
        const QVariant axis = grouping_->currentData();
        context_.selection.setGrouping(axis.isValid() ? std::optional(static_cast<Axis>(axis.toInt())) : std::nullopt);
    });
    connect(pin_, &QToolButton::clicked, this,
            [this](bool on) { context_.selection.pin(context_.selection.rank(), on); });
    refresh_.follow(search, &EventSearch::changed);
    refresh_.follow(context_.selection, &Selection::visibleChanged, &Selection::rankChanged, &Selection::rowsChanged);
    refresh_.follow(context_.model, &RunModel::appended);
    connect(&context_.model, &RunModel::reset, this, [this] {
        fillGrouping();
        refresh_.request();
    });
    fillGrouping();
    refresh();
}

QToolButton* TimelineTools::button(const QString& text, const QString& name, const QString& help) {
    auto* made = child<QToolButton>(this);
    made->setText(text);
    made->setAccessibleName(name);
    made->setToolTip(help);
    made->setProperty("role", QStringLiteral("flat"));
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

bool TimelineTools::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_ && event->type() == QEvent::KeyPress) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) {
            context_.events.go(key.modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key.key() == Qt::Key_Escape && !field_->text().isEmpty()) {
            field_->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TimelineTools::fillGrouping() {
    const RunModel& model = context_.model;
    grouping_->clear();
    grouping_->addItem(tr("ungrouped"));
    if (model.empty()) return;
    for (int axis = 0; axis < axisCount; ++axis) {
        const auto each = static_cast<Axis>(axis);
        if (model.mesh().size(each) > 1) grouping_->addItem(tr("by %1").arg(term(name(each))), axis);
    }
}

QString TimelineTools::foundText() const {
    const EventSearch& search = context_.events;
    if (!search.error().isEmpty()) return tr("not understood");
    if (search.query().trimmed().isEmpty()) return {};
    if (search.running()) return tr("…");
    const int current = search.current();
    if (search.count() == 0) return tr("none");
    return current >= 0 ? tr("%1 of %2").arg(current + 1).arg(search.count()) : QString::number(search.count());
}

void TimelineTools::refresh() {
    const EventSearch& search = context_.events;
    const RunModel& model = context_.model;
    if (field_->text() != search.query()) field_->setText(search.query());
    setFaulty(*field_, !search.error().isEmpty());
    found_->setText(foundText());
    found_->setToolTip(!search.error().isEmpty() ? search.error()
                       : search.count() > static_cast<std::int64_t>(EventSearch::mostHits)
                           ? tr("The first %1 are marked").arg(EventSearch::mostHits)
                           : QString());
    for (QToolButton* each : {previous_, next_}) each->setEnabled(search.count() > 0);

    const bool steps = !showsPrediction(model) && !model.steps().extents().empty();
    for (QWidget* each : std::initializer_list<QWidget*>{stepLabel_, step_, previousSlow_, slow_, nextSlow_})
        each->setVisible(steps);
    if (steps) {
        const QSignalBlocker quiet(step_);
        step_->setRange(model.steps().extents().front().step, model.steps().extents().back().step);
        if (const int index = stepInSight(model, context_.selection); index >= 0 && !step_->hasFocus())
            step_->setValue(model.steps().extents()[static_cast<std::size_t>(index)].step);
        const auto slow = slowSteps(model).size();
        slow_->setText(counted(slow, tr("1 slow"), tr("%1 slow")));
        const QString help = tr("Slow: more than %1 % longer than the median step, %2")
                                 .arg(static_cast<int>((slowFactor - 1) * 100 + 0.5))
                                 .arg(QString::fromStdString(formatSeconds(
                                     model.deviceTime().seconds(model.steps().summary().medianStepSeconds()))));
        slow_->setToolTip(help);
        previousSlow_->setToolTip(tr("Go to the previous slow step (Alt+,)") + QLatin1Char('\n') + help);
        nextSlow_->setToolTip(tr("Go to the next slow step (Alt+.)") + QLatin1Char('\n') + help);
        for (QToolButton* each : {previousSlow_, nextSlow_}) each->setEnabled(slow > 0);
    }
    const Selection& selection = context_.selection;
    const QSignalBlocker quiet(grouping_);
    grouping_->setVisible(grouping_->count() > 2);
    grouping_->setCurrentIndex(
        selection.grouping() ? std::max(0, grouping_->findData(static_cast<int>(*selection.grouping()))) : 0);
    const auto& pinned = selection.pinned();
    pin_->setEnabled(selection.rank() >= 0);
    pin_->setChecked(std::find(pinned.begin(), pinned.end(), selection.rank()) != pinned.end());
}

}  // namespace shardlab::ui
