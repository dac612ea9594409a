// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/presenter.h"

#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/run_model.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"

#include <QHBoxLayout>
#include <QHideEvent>
#include <QKeySequence>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

namespace shardlab::ui {
namespace {

/// Letters are a share of the window's height, so that they are as large on every screen.
constexpr double letterShare = 1.0 / 30;
constexpr int leastLetters = 16, mostLetters = 54;
constexpr double widestInLetters = 44;  ///< of a line

ViewContext withTheme(const ViewContext& context, ThemeSource& theme) {
    return {context.workspace, context.document, context.model,  context.selection, theme,
            context.search,    context.compare,  context.events, context.lessons,   context.home};
}

View* makeTimeline(const ViewContext& context, QWidget* parent) {
    const auto kinds = viewKinds();
    const auto found = std::ranges::find(kinds, QLatin1String("timeline"),
                                         [](const ViewKind& kind) { return QLatin1String(kind.id); });
    View* timeline = found->create(context, parent);
    timeline->setObjectName(QStringLiteral("presentedTimeline"));
    return timeline;
}

/// Sliders and choices as large as the letters beside them.
QString controlsSheet(int letters) {
    const int dot = std::max(14, letters * 6 / 10), ring = std::max(3, dot / 4), groove = std::max(6, letters / 4);
    const int handle = letters * 2 / 3 / 2 * 2;
    return QStringLiteral("#presenter QRadioButton { min-height: %1px; } "
                          "#presenter QRadioButton::indicator { width: %2px; height: %2px; border-radius: %3px; } "
                          "#presenter QRadioButton::indicator:checked { width: %4px; height: %4px; "
                          "border-width: %5px; border-radius: %3px; } ")
               .arg(letters * 13 / 10)
               .arg(dot)
               .arg(dot / 2 + 1)
               .arg(dot + 2 - 2 * ring)
               .arg(ring) +
           QStringLiteral(
               "#presenter QSlider { min-height: %3px; } "
               "#presenter QSlider::groove:horizontal { height: %1px; border-radius: %2px; } "
               "#presenter QSlider::sub-page:horizontal { border-radius: %2px; } "
               "#presenter QSlider::handle:horizontal { width: %3px; margin: -%4px 0; border-radius: %5px; }")
               .arg(groove)
               .arg(groove / 2)
               .arg(handle)
               .arg((handle - groove) / 2)
               .arg(handle / 2);
}

bool isHeading(const std::string& idea) { return idea.starts_with('#') && idea.find('\n') + 1 >= idea.size(); }

}  // namespace

Presenter::Presenter(const ViewContext& context, QWidget* parent)
    : QWidget(parent, Qt::Window), around_(context.theme), context_(withTheme(context, theme_)),
      page_(child<QWidget>()), column_(child<QVBoxLayout>(page_)), area_(child<QScrollArea>(this)),
      timeline_(makeTimeline(withTheme(context, beside_), page_)), title_(child<QLabel>(this)),
      place_(child<QLabel>(this)) {
    setAttribute(Qt::WA_StyledBackground);
    setObjectName(QStringLiteral("presenter"));
    setProperty("role", "presenter");
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area_->setWidget(page_);
    for (QWidget* watched : {page_, area_->viewport()}) watched->installEventFilter(this);
    for (QLabel* label : {title_, place_}) label->setProperty("role", "dim");
    auto* foot = child<QHBoxLayout>();
    foot->addWidget(title_);
    foot->addStretch(1);
    foot->addWidget(place_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(24, 24, 24, 16);
    column->addWidget(area_, 1);
    column->addLayout(foot);
    column_->setSpacing(24);

    for (const int key : {Qt::Key_Right, Qt::Key_Space, Qt::Key_PageDown}) addKey(key, &Presenter::forward);
    for (const int key : {Qt::Key_Left, Qt::Key_Backspace, Qt::Key_PageUp}) addKey(key, &Presenter::back);
    addKey(Qt::Key_Home, &Presenter::first);
    addKey(Qt::Key_End, &Presenter::last);
    for (const int key : {Qt::Key_Return, Qt::Key_Enter}) addKey(key, &Presenter::act);
    addKey(Qt::Key_Up, &Presenter::up);
    addKey(Qt::Key_Down, &Presenter::down);
    connect(child<QShortcut>(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this, &QWidget::close);
    // What the reader is led to is in the window behind; the next presentation begins on the same screen.
    connect(&context.lessons, &LessonSession::windowWanted, this, &QWidget::close);
    connect(&context.theme, &ThemeSource::changed, this, &Presenter::takeTheme);
    connect(&context.lessons, &LessonSession::changed, this, &Presenter::refresh);
    connect(&context.model, &RunModel::reset, this, &Presenter::refresh);
    connect(&context.lessons, &LessonSession::chosenChanged, this, [this] {
        if (isVisible()) begin();
    });
}

void Presenter::addKey(int key, void (Presenter::*what)()) {
    connect(child<QShortcut>(QKeySequence(key), this), &QShortcut::activated, this, what);
}

void Presenter::begin() {
    const LessonSession& lessons = context_.lessons;
    if (std::exchange(lesson_, lessons.chosen()) != lessons.chosen()) screen_ = 0;
    screens_ = cut();
    title_->setText(lessons.lesson() ? text(lessons.lesson()->title) : QString());
    if (!isVisible()) {
        setGeometry(parentWidget()->screen()->geometry());  // where no window manager makes it fill the screen
        showFullScreen();
    }
    raise();
    activateWindow();
    takeTheme();
    go(screen_);
}

std::vector<Presenter::Screen> Presenter::cut() const {
    std::vector<Screen> screens;
    const LessonSession& lessons = context_.lessons;
    if (!lessons.lesson()) return screens;
    std::string heading;
    for (LessonBlock& block : lessonBlocks(*lessons.lesson(), lessons.known(), &lessons.reader(), toldText)) {
        if (block.kind != LessonBlock::Kind::Text) {
            screens.push_back({std::move(block), std::exchange(heading, {})});
            continue;
        }
        for (std::string& idea : ideas(block.text))
            if (isHeading(idea)) heading = std::move(idea);
            else screens.push_back({{LessonBlock::Kind::Text, 0, std::move(idea)}, std::exchange(heading, {})});
    }
    return screens;
}

bool Presenter::atLesson(int lesson) const {
    return lesson >= 0 && lesson < static_cast<int>(context_.lessons.lessons().size());
}

void Presenter::forward() {
    if (screen_ + 1 < screens()) go(screen_ + 1);
    else context_.lessons.choose(lesson_ + 1);
}

void Presenter::back() {
    if (screen_ > 0) return go(screen_ - 1);
    if (!atLesson(lesson_ - 1)) return;
    context_.lessons.choose(lesson_ - 1);
    last();
}

void Presenter::go(int screen) {
    if (screens_.empty()) return;
    screen_ = std::clamp(screen, 0, screens() - 1);
    showScreen();
}

void Presenter::showScreen() {
    const Screen screen = screens_[static_cast<std::size_t>(screen_)];  // showing an experiment cuts screens anew
    dropParts();
    while (column_->count() > 0) const std::unique_ptr<QLayoutItem> taken(column_->takeAt(0));
    column_->addStretch(1);
    const auto put = [this](const LessonBlock& shown) {
        LessonPart* part = makePart(context_, shown, page_);
        part->refresh(shown);
        part->setMaximumWidth(static_cast<int>(widestInLetters * theme_.theme().body.pixelSize()));
        part->show();
        auto* line = child<QHBoxLayout>();
        line->addStretch(1);
        line->addWidget(part, 100);
        line->addStretch(1);
        column_->addLayout(line);
        return part;
    };
    if (!screen.heading.empty()) heading_ = put({LessonBlock::Kind::Text, 0, screen.heading});
    part_ = put(screen.block);
    part_->takeKeys();
    connect(part_, &LessonPart::keysChanged, this, &Presenter::showKeys);
    column_->addWidget(timeline_, 100);
    column_->addStretch(1);
    if (screen.block.kind == LessonBlock::Kind::Experiment) context_.lessons.show(screen.block.index);
    showTimeline();
    showKeys();
}

/// A part asks its lesson again and again, so it ends where another lesson may be chosen; not at once, for what it is
/// asked to do may lead here.
void Presenter::dropParts() {
    for (LessonPart** part : {&heading_, &part_}) {
        if (!*part) continue;
        gone_.emplace_back(std::exchange(*part, nullptr));
        gone_.back()->disconnect(this);
        gone_.back()->setParent(nullptr);
    }
    QMetaObject::invokeMethod(
        this, [this] { gone_.clear(); }, Qt::QueuedConnection);
}

void Presenter::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous()) dropParts();
}

/// A part may be as high as what the heading above it leaves of the screen.
bool Presenter::eventFilter(QObject* watched, QEvent* event) {
    const bool laid = event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize;
    if (part_ && ((laid && watched == page_) || (watched == area_->viewport() && event->type() == QEvent::Resize))) {
        const QMargins around = column_->contentsMargins();
        const int above = heading_ ? heading_->height() + column_->spacing() : 0;
        part_->setRoom(area_->viewport()->height() - around.top() - around.bottom() - above);
    }
    return QWidget::eventFilter(watched, event);
}

void Presenter::showKeys() {
    const bool last = screen_ + 1 == screens() && atLesson(lesson_ + 1);
    QStringList keys{tr("%1 of %2").arg(screen_ + 1).arg(screens()), last ? tr("Space next lesson") : tr("Space on"),
                     tr("← back")};
    if (part_) keys << part_->keys();
    place_->setText((keys << tr("Esc leave")).join(QStringLiteral(" · ")));
}

void Presenter::refresh() {
    if (!isVisible() || !part_ || lesson_ != context_.lessons.chosen()) return;
    std::vector<Screen> now = cut();
    if (now.size() != screens_.size()) return begin();
    screens_ = std::move(now);
    part_->refresh(screens_[static_cast<std::size_t>(screen_)].block);
    showTimeline();
}

/// Below an experiment, as soon as there is something to show; below a question what it asked for while that is
/// measured and as long as it is the one in sight.
void Presenter::showTimeline() {
    const LessonSession& lessons = context_.lessons;
    const LessonBlock& block = screens_[static_cast<std::size_t>(screen_)].block;
    const auto asked = [&] {
        const LessonQuestion& question = lessons.lesson()->questions[block.index];
        const int shown = lessons.shown();
        return shown >= 0 && question.isAbout(static_cast<std::size_t>(shown)) && !lessons.reader().isOpen(question) &&
               lessons.state(static_cast<std::size_t>(shown)) != LessonSession::State::Fresh;
    };
    const bool belongs =
        block.kind == LessonBlock::Kind::Experiment || (block.kind == LessonBlock::Kind::Question && asked());
    timeline_->setVisible(belongs && timeline_->emptyText().isEmpty());
}

void Presenter::act() {
    if (part_ && !part_->act()) forward();
}

void Presenter::choose(int up) {
    if (!part_ || part_->choose(up)) return;
    area_->verticalScrollBar()->triggerAction(up > 0 ? QScrollBar::SliderSingleStepSub
                                                     : QScrollBar::SliderSingleStepAdd);
}

void Presenter::takeTheme() {
    Theme large = around_.theme();
    const int letters = std::clamp(static_cast<int>(height() * letterShare), leastLetters, mostLetters);
    large.body.setPixelSize(letters);
    large.mono.setPixelSize(letters);
    const int small = letters * 7 / 10;
    setStyleSheet(QStringLiteral("#presenter { background: %1; } #presenter QScrollArea { border: none; } "
                                 "shardlab--ui--LessonPart QLabel, shardlab--ui--LessonPart QRadioButton, "
                                 "shardlab--ui--LessonPart QPushButton { font-size: %2px; } "
                                 "shardlab--ui--LessonPart QPushButton { padding: %4px %2px; } "
                                 "shardlab--ui--LessonPart QLabel[role=\"small\"], #presenter > QLabel, "
                                 "#presentedTimeline QPushButton, #presentedTimeline QLineEdit { font-size: %3px; }")
                      .arg(large.panel.name())
                      .arg(letters)
                      .arg(small)
                      .arg(large.scaled(5)) +
                  controlsSheet(letters));
    theme_.setTheme(large);
    large.body.setPixelSize(small);
    large.mono.setPixelSize(small);
    beside_.setTheme(large);
    for (LessonPart* part : {heading_, part_})
        if (part) part->setMaximumWidth(static_cast<int>(widestInLetters * letters));
}

void Presenter::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    takeTheme();
}

}  // namespace shardlab::ui
