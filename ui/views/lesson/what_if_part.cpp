// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/what_if_part.h"

#include "engine/launch/lesson/what_if_picture.h"
#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/place_slider.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"
#include "ui/views/lesson/lesson_drawing.h"
#include "ui/views/lesson/show_links.h"
#include "ui/views/lesson/text_part.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

WhatIfPart::WhatIfPart(const ViewContext& context, std::size_t whatIf, QWidget* parent)
    : LessonPart(parent), context_(context), whatIf_(whatIf), sliders_(child<QWidget>(this)),
      drawing_(child<LessonDrawing>(context.theme, this)), words_(child<TextPart>(context, this)),
      table_(child<TextPart>(context, this)), refusal_(child<QLabel>(this)),
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

    auto* inner = child<QVBoxLayout>(sliders_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(4);
    for (std::size_t index = 0; index < shown.sliders.size(); ++index) addSlider(*inner, index);
    int widest = 0;  // so that sliders begin below each other
    for (const Row& row : rows_) widest = std::max(widest, row.name->sizeHint().width());
    for (const Row& row : rows_) row.name->setMinimumWidth(widest);
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
    connect(&context_.theme, &ThemeSource::changed, this, &WhatIfPart::refreshState);
    open_ = !keptBack(*context_.lessons.lesson(), context_.lessons.reader(), shown);
    showPosition();
    refreshState();
}

const LessonWhatIf& WhatIfPart::whatIf() const { return context_.lessons.lesson()->whatIfs[whatIf_]; }

void WhatIfPart::addSlider(QVBoxLayout& column, std::size_t index) {
    const WhatIfSlider& shown = whatIf().sliders[index];
    const QString label = told(sliderLabel(shown));
    Row row{child<PlaceSlider>(sliders_), child<QLabel>(label, sliders_), child<QLabel>(sliders_)};
    row.slider->setRange(0, static_cast<int>(shown.values.size()) - 1);
    row.slider->setPageStep(std::max(1, row.slider->maximum() / 8));
    row.slider->setObjectName(QStringLiteral("whatIf.%1.%2").arg(text(whatIf().name)).arg(index));
    row.slider->setToolTip(term(shown.field->help));
    row.name->setToolTip(row.slider->toolTip());
    row.name->setProperty("role", "dim");
    row.value->setProperty("role", "figure");
    row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* line = child<QHBoxLayout>();
    line->setSpacing(8);
    line->addWidget(row.name);
    line->addWidget(row.slider, 1);
    line->addWidget(row.value);
    column.addLayout(line);
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
    return true;
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
    drawing_->setPicture(legal && !table
                             ? std::optional(whatIfPicture(whatIf(), *answer, inkOf(context_.theme.theme()), toldText))
                             : std::nullopt);
    table_->setVisible(table);
    words_->setVisible(legal);
    if (!legal) return;
    if (table) table_->refresh({LessonBlock::Kind::Text, 0, whatIfTableText(whatIf(), *answer, toldText)});
    words_->refresh({LessonBlock::Kind::Text, 0, whatIfText(whatIf(), *answer, toldText)});
}

}  // namespace shardlab::ui
