// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/question_part.h"

#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/place_slider.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/views/lesson/guess_drawing.h"
#include "ui/views/lesson/show_links.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int sliderSteps = 100;

}  // namespace

QuestionPart::QuestionPart(const ViewContext& context, std::size_t question, QWidget* parent)
    : LessonPart(parent), context_(context), question_(question), asking_(child<QWidget>(this)),
      guess_(child<QPushButton>(tr("This is my guess"), asking_)), run_(child<QPushButton>(this)),
      outcome_(child<QLabel>(this)), reveal_(child<QLabel>(this)), drawing_(child<GuessDrawing>(this)) {
    const LessonQuestion& asked = this->question();
    const QString name = text(asked.name);
    setProperty("role", "task");
    auto* what = child<QLabel>(text(asked.text), this);
    prepareMarkdown(*what, context_.lessons);
    what->setProperty("role", "title");
    for (QLabel* label : {outcome_, reveal_}) prepareMarkdown(*label, context_.lessons);
    outcome_->setTextFormat(Qt::PlainText);
    outcome_->setObjectName(QStringLiteral("outcome.") + name);
    reveal_->setObjectName(QStringLiteral("reveal.") + name);
    guess_->setObjectName(QStringLiteral("guess.") + name);
    run_->setObjectName(QStringLiteral("runFor.") + name);
    setRole(*guess_, "primary");
    setRole(*run_, "primary");
    auto* pass = child<QPushButton>(tr("Go on without"), asking_);
    pass->setObjectName(QStringLiteral("pass.") + name);
    pass->setToolTip(tr("Show what the question hides, without a guess"));
    pass->setProperty("role", "flat");

    auto* inner = child<QVBoxLayout>(asking_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(6);
    if (asked.kind == QuestionKind::Slider) makeSlider(*inner);
    else makeChoices(*inner);
    auto* buttons = child<QHBoxLayout>();
    buttons->addWidget(guess_);
    buttons->addWidget(pass);
    buttons->addStretch(1);
    inner->addLayout(buttons);

    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(what);
    column->addWidget(asking_);
    column->addWidget(outcome_);
    column->addWidget(run_, 0, Qt::AlignLeft);
    column->addWidget(drawing_);
    column->addWidget(reveal_);

    connect(guess_, &QPushButton::clicked, this, [this] {
        if (const auto value = chosen()) context_.lessons.guess(question_, *value);
    });
    connect(pass, &QPushButton::clicked, this, [this] { context_.lessons.passOver(question_); });
    connect(run_, &QPushButton::clicked, this, [this] { context_.lessons.runFor(question_); });
    showChosen();
    refreshState();
}

const LessonQuestion& QuestionPart::question() const { return context_.lessons.lesson()->questions[question_]; }

void QuestionPart::makeSlider(QVBoxLayout& column) {
    const LessonQuestion& asked = question();
    slider_ = child<PlaceSlider>(asking_);
    slider_->setRange(0, sliderSteps);
    slider_->setValue(sliderSteps / 2);
    slider_->setPageStep(sliderSteps / 10);
    slider_->setObjectName(QStringLiteral("slider.") + text(asked.name));
    slider_->setAccessibleName(text(withoutShowLinks(asked.text)));
    value_ = child<QLabel>(asking_);
    value_->setProperty("role", "figure");
    value_->setAlignment(Qt::AlignCenter);
    const auto end = [&](double value) {
        auto* label = child<QLabel>(text(asked.valueText(value)), asking_);
        label->setProperty("role", "small");
        return label;
    };
    auto* line = child<QHBoxLayout>();
    line->setSpacing(8);
    line->addWidget(end(asked.from));
    line->addWidget(slider_, 1);
    line->addWidget(end(asked.to));
    column.addWidget(value_);
    column.addLayout(line);
    connect(slider_, &QSlider::valueChanged, this, &QuestionPart::showChosen);
}

void QuestionPart::makeChoices(QVBoxLayout& column) {
    const LessonQuestion& asked = question();
    for (std::size_t index = 0; index < asked.choices.size(); ++index) {
        auto* choice = child<QRadioButton>(text(asked.choices[index].text).replace(QLatin1Char('&'), "&&"), asking_);
        choice->setObjectName(QStringLiteral("choice.%1.%2").arg(text(asked.name)).arg(index));
        column.addWidget(choice);
        choices_.push_back(choice);
        connect(choice, &QRadioButton::toggled, this, &QuestionPart::showChosen);
    }
}

std::optional<double> QuestionPart::chosen() const {
    const LessonQuestion& asked = question();
    if (slider_) return asked.from + (asked.to - asked.from) * slider_->value() / sliderSteps;
    const auto found = std::ranges::find_if(choices_, &QAbstractButton::isChecked);
    if (found == choices_.end()) return std::nullopt;
    return static_cast<double>(found - choices_.begin());
}

void QuestionPart::showChosen() {
    const auto value = chosen();
    guess_->setEnabled(value.has_value());
    if (value_ && value) value_->setText(text(question().valueText(*value)));
}

bool QuestionPart::act() {
    QPushButton* next = asking_->isVisible() ? guess_ : run_;
    if (!next->isVisible() || !next->isEnabled()) return false;
    next->click();
    return true;
}

void QuestionPart::refresh(const LessonBlock&) { refreshState(); }

void QuestionPart::refreshState() {
    const LessonReader& reader = context_.lessons.reader();
    const auto found = reader.guesses.find(question().name);
    asking_->setVisible(reader.isOpen(question()));
    refreshOutcome(found == reader.guesses.end() ? std::nullopt : std::optional(found->second));
}

void QuestionPart::refreshOutcome(std::optional<double> guess) {
    const LessonSession& lessons = context_.lessons;
    const LessonQuestion& asked = question();
    const bool open = lessons.reader().isOpen(asked);
    const auto answer = open ? std::nullopt : measuredAnswer(asked, lessons.known());
    const std::vector<std::size_t> missing = unmeasured(asked, lessons.known());
    QStringList names;
    for (const std::size_t experiment : missing) names << text(lessons.lesson()->experiments[experiment].name);

    QString outcome;
    if (guess && answer) outcome = told(verdict(asked, *guess, *answer));
    else if (guess && missing.empty()) outcome = tr("The run does not tell.");
    else if (guess) outcome = tr("You guessed: %1").arg(text(asked.guessText(*guess)));
    outcome_->setText(outcome);
    outcome_->setVisible(!outcome.isEmpty());
    run_->setText(tr("Run %1 and see").arg(names.join(tr(" and "))));
    run_->setVisible(!open && !missing.empty());
    run_->setEnabled(!lessons.active());

    const auto picture =
        answer ? drawing_->pictureOf(*lessons.lesson(), asked, lessons.known(), guess, context_.theme) : std::nullopt;
    drawing_->setPicture(picture);
    reveal_->setText(answer ? text(revealText(asked, lessons.known())) : QString());
    reveal_->setVisible(answer.has_value());
}

}  // namespace shardlab::ui
