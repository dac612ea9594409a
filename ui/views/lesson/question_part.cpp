// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/question_part.h"

#include "engine/launch/lesson/guess_picture.h"
#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/place_slider.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/views/lesson/lesson_drawing.h"
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

/// The words of a choice, which Qt's own button would not break into lines; a click on them chooses it.
class ChoiceWords : public QLabel {
public:
    ChoiceWords(QRadioButton& choice, const QString& words, QWidget* parent) : QLabel(words, parent), choice_(choice) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
        choice.setAccessibleName(words);
    }

protected:
    void mousePressEvent(QMouseEvent*) override { choice_.click(); }

private:
    QRadioButton& choice_;
};

}  // namespace

QuestionPart::QuestionPart(const ViewContext& context, std::size_t question, QWidget* parent)
    : LessonPart(parent), context_(context), question_(question), asking_(child<QWidget>(this)),
      buttons_(child<QWidget>(this)), guess_(child<QPushButton>(tr("This is my guess"), buttons_)),
      pass_(child<QPushButton>(tr("Go on without"), buttons_)), run_(child<QPushButton>(buttons_)),
      outcome_(child<QLabel>(this)), reveal_(child<QLabel>(this)), drawing_(child<LessonDrawing>(context.theme, this)) {
    const LessonQuestion& asked = this->question();
    const QString name = text(asked.name);
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
    pass_->setObjectName(QStringLiteral("pass.") + name);
    pass_->setToolTip(tr("Show what the question hides, without a guess"));
    pass_->setProperty("role", "flat");

    auto* inner = child<QVBoxLayout>(asking_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(6);
    if (asked.kind == QuestionKind::Slider) makeSlider(*inner);
    else makeChoices(*inner);
    auto* buttons = child<QHBoxLayout>(buttons_);
    buttons->setContentsMargins(0, 0, 0, 0);
    for (QPushButton* button : {guess_, pass_, run_}) buttons->addWidget(button);
    buttons->addStretch(1);

    QVBoxLayout& column = beginTask(context.theme);
    for (QWidget* part : {static_cast<QWidget*>(what), asking_, static_cast<QWidget*>(outcome_), buttons_,
                          static_cast<QWidget*>(drawing_), static_cast<QWidget*>(reveal_)})
        column.addWidget(part);

    connect(guess_, &QPushButton::clicked, this, [this] {
        if (const auto value = chosen()) context_.lessons.guess(question_, *value);
    });
    connect(pass_, &QPushButton::clicked, this, [this] { context_.lessons.passOver(question_); });
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
        auto* choice = child<QRadioButton>(asking_);
        choice->setObjectName(QStringLiteral("choice.%1.%2").arg(text(asked.name)).arg(index));
        auto* line = child<QHBoxLayout>();
        line->setSpacing(4);
        line->addWidget(choice, 0, Qt::AlignTop);
        line->addWidget(child<ChoiceWords>(*choice, text(asked.choices[index].text), asking_), 1);
        column.addLayout(line);
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
    QPushButton* next = guess_->isVisible() ? guess_ : run_;
    if (!next->isVisible() || !next->isEnabled()) return false;
    next->click();
    return true;
}

bool QuestionPart::choose(int up) {
    if (!context_.lessons.reader().isOpen(question())) return false;
    if (slider_) {
        slider_->setValue(slider_->value() + up);
        return true;
    }
    const int last = static_cast<int>(choices_.size()) - 1;
    const auto now = chosen();
    const int next = now ? std::clamp(static_cast<int>(*now) - up, 0, last) : up < 0 ? 0 : last;
    choices_[static_cast<std::size_t>(next)]->setChecked(true);
    return true;
}

void QuestionPart::refresh(const LessonBlock&) { refreshState(); }

void QuestionPart::refreshState() {
    const LessonReader& reader = context_.lessons.reader();
    const auto found = reader.guesses.find(question().name);
    const bool open = reader.isOpen(question());
    if (asking_->isVisible() && !open) asked_ = asking_->height();
    for (QWidget* part : {asking_, static_cast<QWidget*>(guess_), static_cast<QWidget*>(pass_)}) part->setVisible(open);
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
    const bool waits = !open && !missing.empty();
    // In the room of what was asked, so that neither this button nor those below move under a reader's hand.
    outcome_->setMinimumHeight(waits ? asked_ : 0);
    outcome_->setVisible((waits && asked_ > 0) || !outcome.isEmpty());
    constexpr qsizetype mostNames = 2;  // of more the button would be wider than the page
    run_->setText(names.size() > mostNames ? tr("Run %1 experiments and see").arg(names.size())
                                           : tr("Run %1 and see").arg(names.join(tr(" and "))));
    run_->setToolTip(names.join(QStringLiteral(", ")));
    run_->setVisible(waits);
    buttons_->setVisible(open || waits);
    run_->setEnabled(!lessons.active());

    const auto picture = answer ? guessPicture(*lessons.lesson(), asked, lessons.known(), lessons.reader(),
                                               inkOf(context_.theme.theme()), toldText)
                                : std::nullopt;
    drawing_->setPicture(picture);
    showMarkdown(*reveal_, answer ? text(revealText(asked, lessons.known())) : QString());
    reveal_->setVisible(answer.has_value());
}

}  // namespace shardlab::ui
