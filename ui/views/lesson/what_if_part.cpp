// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/what_if_part.h"

#include "engine/launch/lesson/what_if_picture.h"
#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/place_slider.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/unbroken.h"
#include "ui/core/words.h"
#include "ui/views/lesson/lesson_drawing.h"
#include "ui/views/lesson/show_links.h"
#include "ui/views/lesson/text_part.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

/// As wide as the widest of its texts, so that nothing beside it moves while they change.
class WidestLabel : public QLabel {
public:
    WidestLabel(QStringList texts, QWidget* parent) : QLabel(parent), texts_(std::move(texts)) {}
    QSize sizeHint() const override {
        QSize size = QLabel::sizeHint();
        for (const QString& each : texts_)
            size.rwidth() = std::max(size.width(), fontMetrics().horizontalAdvance(each));
        return size;
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    QStringList texts_;
};

}  // namespace

WhatIfPart::WhatIfPart(const ViewContext& context, std::size_t whatIf, QWidget* parent)
    : LessonPart(parent), context_(context), lesson_(context.lessons.chosen()), whatIf_(whatIf),
      sliders_(child<QWidget>(this)), drawing_(child<LessonDrawing>(context.theme, this)),
      words_(child<TextPart>(context, this)), table_(child<TextPart>(context, this)), refusal_(child<QLabel>(this)),
      nearest_(child<QPushButton>(tr("Go to the nearest legal"), this)),
      design_(child<QPushButton>(tr("Open in Design"), this)), show_(child<QPushButton>(tr("Show"), this)),
      asTable_(child<QPushButton>(tr("Table"), this)) {
    const LessonWhatIf& shown = this->whatIf();
    const QString name = text(shown.name);
    auto* what = child<QLabel>(text(shown.text), this);
    prepareMarkdown(*what, context_.lessons);
    what->setProperty("role", "title");
    refusal_->setTextFormat(Qt::PlainText);
    refusal_->setWordWrap(true);
    refusal_->setObjectName(QStringLiteral("refusal.") + name);
    setRole(*refusal_, "bad");
    nearest_->setObjectName(QStringLiteral("nearest.") + name);
    show_->setObjectName(QStringLiteral("whatIfShow.") + name);
    design_->setObjectName(QStringLiteral("whatIfDesign.") + name);
    design_->setToolTip(tr("Take this layout into Design, where every field of it can be changed; Ctrl+Z undoes that"));
    asTable_->setCheckable(true);
    asTable_->setObjectName(QStringLiteral("whatIfTable.") + name);
    asTable_->setToolTip(tr("The numbers of the picture"));
    asTable_->setProperty("role", "flat");
    words_->setObjectName(QStringLiteral("whatIfWords.") + name);
    table_->setObjectName(QStringLiteral("whatIfRows.") + name);

    for (TextPart* part : {words_, table_}) part->setTight();

    auto* grid = child<QGridLayout>(sliders_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(4);
    grid->setHorizontalSpacing(context.theme.theme().scaled(8));
    grid->setColumnStretch(1, 1);
    for (int index = 0; index < static_cast<int>(shown.sliders.size()); ++index) addSlider(*grid, index);
    auto* foot = child<QHBoxLayout>();
    foot->setSpacing(6);
    foot->addWidget(nearest_);
    foot->addWidget(show_);
    foot->addStretch(1);
    foot->addWidget(asTable_);
    foot->addWidget(design_);
    QVBoxLayout& column = beginTask(context.theme);
    for (QWidget* part :
         {static_cast<QWidget*>(what), sliders_, static_cast<QWidget*>(refusal_), static_cast<QWidget*>(drawing_),
          static_cast<QWidget*>(table_), static_cast<QWidget*>(words_)})
        column.addWidget(part);
    column.addLayout(foot);

    connect(nearest_, &QPushButton::clicked, this, &WhatIfPart::takeNearest);
    connect(show_, &QPushButton::clicked, this, [this] {
        open_ = true;
        refreshState();
    });
    connect(design_, &QPushButton::clicked, this, [this] { context_.lessons.openWhatIf(whatIf_); });
    connect(asTable_, &QAbstractButton::toggled, this, &WhatIfPart::refreshState);
    connect(&context_.lessons.whatIfs(), &WhatIfSession::answered, this, [this](std::size_t answered) {
        if (answered == whatIf_) refreshState();
    });
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        shown_.reset();
        refreshState();
    });
    open_ = !keptBack(*context_.lessons.lesson(), context_.lessons.reader(), shown);
    showPosition();
    refreshState();
}

const LessonWhatIf& WhatIfPart::whatIf() const { return context_.lessons.lesson()->whatIfs[whatIf_]; }

void WhatIfPart::addSlider(QGridLayout& grid, int index) {
    const WhatIfSlider& shown = whatIf().sliders[static_cast<std::size_t>(index)];
    const QString label = told(sliderLabel(shown));
    QStringList values;
    for (std::size_t place = 0; place < shown.values.size(); ++place) values << told(sliderValue(shown, place));
    Row row{child<PlaceSlider>(sliders_), child<QLabel>(label, sliders_),
            child<WidestLabel>(std::move(values), sliders_)};
    row.slider->setRange(0, static_cast<int>(shown.values.size()) - 1);
    row.slider->setPageStep(std::max(1, row.slider->maximum() / 8));
    row.slider->setObjectName(QStringLiteral("whatIf.%1.%2").arg(text(whatIf().name)).arg(index));
    row.slider->setToolTip(term(shown.field->help));
    row.name->setToolTip(row.slider->toolTip());
    row.name->setProperty("role", "dim");
    row.value->setProperty("role", "figure");
    row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    grid.addWidget(row.name, index, 0);
    grid.addWidget(row.slider, index, 1);
    grid.addWidget(row.value, index, 2);
    connect(row.slider, &QSlider::valueChanged, this, &WhatIfPart::moved);
    rows_.push_back(row);
}

void WhatIfPart::moved() {
    WhatIfPosition position;
    for (const Row& row : rows_) position.push_back(static_cast<std::size_t>(row.slider->value()));
    context_.lessons.whatIfs().move(whatIf_, std::move(position));
    showPosition();
}

/// Another part may show the same what-if: on the whole screen, and in the window behind.
void WhatIfPart::showPosition() {
    const WhatIfPosition& position = context_.lessons.whatIfs().position(whatIf_);
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        Row& row = rows_[index];
        const QSignalBlocker quiet(row.slider);
        row.slider->setValue(static_cast<int>(position[index]));
        const QString value = told(sliderValue(whatIf().sliders[index], position[index]));
        row.value->setText(value);
        row.slider->setAccessibleName(row.name->text() + QStringLiteral(": ") + value);
    }
}

void WhatIfPart::takeNearest() {
    const WhatIfAnswer* answer = context_.lessons.whatIfs().answer(whatIf_);
    if (!answer) return;
    context_.lessons.whatIfs().move(whatIf_, answer->nearest);
    showPosition();
}

bool WhatIfPart::act() {
    if (show_->isVisible()) show_->click();
    else if (nearest_->isVisible()) takeNearest();
    else chosen_ = (chosen_ + 1) % rows_.size();
    showChosen();
    return true;
}

QStringList WhatIfPart::keys() const {
    if (!sliders_->isVisibleTo(this)) return show_->isEnabled() ? QStringList{tr("Enter show")} : QStringList{};
    QStringList keys{tr("↑ ↓ move the slider")};
    if (nearest_->isVisibleTo(this)) keys << tr("Enter the nearest legal");
    else if (rows_.size() > 1) keys << tr("Enter the other slider");
    return keys;
}

void WhatIfPart::takeKeys() {
    hasKeys_ = true;
    showChosen();
}

void WhatIfPart::setRoom(int height) {
    if (std::exchange(room_, height) != height) fit();
}

bool WhatIfPart::event(QEvent* event) {
    const bool taken = LessonPart::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize) fit();
    return taken;
}

/// The picture has the room that the rest leaves.
void WhatIfPart::fit() {
    if (room_ <= 0 || !drawing_->isVisibleTo(this)) return;
    const int rest = layout()->totalHeightForWidth(width()) - drawing_->heightForWidth(drawing_->width());
    drawing_->setMostHeight(room_ - rest);
}

void WhatIfPart::showChosen() {
    for (std::size_t index = 0; index < rows_.size(); ++index)
        setRole(*rows_[index].name, hasKeys_ && rows_.size() > 1 && index == chosen_ ? "chosen" : "dim");
}

bool WhatIfPart::choose(int up) {
    if (!sliders_->isVisible()) return false;
    QSlider& slider = *rows_[chosen_].slider;
    slider.setValue(slider.value() + up);
    return true;
}

void WhatIfPart::refresh(const LessonBlock&) { refreshState(); }

void WhatIfPart::refreshState() {
    const LessonSession& lessons = context_.lessons;
    if (lessons.chosen() != lesson_) return;  // this part is about to go
    showPosition();
    const WhatIfAnswer* answer = context_.lessons.whatIfs().answer(whatIf_);
    const bool keeps = keptBack(*lessons.lesson(), lessons.reader(), whatIf());
    open_ = open_ && !keeps;
    const bool covered = !open_;
    show_->setVisible(covered);
    show_->setEnabled(!keeps);
    const bool legal = answer && answer->faults.empty() && !covered;
    const bool illegal = answer && !answer->faults.empty() && !covered;
    sliders_->setVisible(!covered);
    for (QWidget* part : {static_cast<QWidget*>(asTable_), static_cast<QWidget*>(design_)}) part->setVisible(legal);
    nearest_->setVisible(illegal);
    refusal_->setVisible(illegal || covered);
    setRole(*refusal_, covered ? "dim" : "bad");
    if (covered)
        refusal_->setText(tr("This is shown once the questions about %1 are answered, which it would give away.")
                              .arg(text(lessons.lesson()->experiments[*whatIf().in].name)));
    else if (illegal) refusal_->setText(told(refusalWords(whatIf(), *answer)));
    // In the room of the picture and the words, so that nothing moves under a hand that drags a slider.
    if (drawing_->isVisible() && words_->isVisible()) drawn_ = words_->geometry().bottom() - drawing_->y();
    refusal_->setMinimumHeight(illegal ? drawn_ : 0);
    const bool table = legal && asTable_->isChecked();
    table_->setVisible(table);
    words_->setVisible(legal);
    if (legal) {
        showAnswer(*answer, table);
    } else {
        drawing_->setPicture(std::nullopt);
        shown_.reset();
    }
    Q_EMIT keysChanged();
}

void WhatIfPart::showAnswer(const WhatIfAnswer& answer, bool table) {
    std::pair now(answer.position, table);
    if (shown_ == now) return;
    shown_ = std::move(now);
    drawing_->setPicture(
        table ? std::nullopt : std::optional(whatIfPicture(whatIf(), answer, inkOf(context_.theme.theme()), toldText)));
    if (table) table_->refresh({LessonBlock::Kind::Text, 0, whatIfTableText(whatIf(), answer, toldText)});
    words_->refresh({LessonBlock::Kind::Text, 0, unbroken(text(whatIfText(whatIf(), answer, toldText))).toStdString()});
}

}  // namespace shardlab::ui
