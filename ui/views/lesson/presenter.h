// SPDX-License-Identifier: GPL-3.0-or-later
// The chosen lesson on the whole screen for people in a room: one idea a screen, in large letters, by keys.
#pragma once

#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/theme.h"
#include "ui/core/view.h"

#include <QWidget>

#include <vector>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace shardlab::ui {

class LessonPart;

class Presenter : public QWidget {
    Q_OBJECT
public:
    Presenter(const ViewContext& context, QWidget* parent);

    /// Shows the first screen of the chosen lesson; where it was left, if it is still the same lesson.
    void begin();
    int screen() const { return screen_; }
    int screens() const { return static_cast<int>(blocks_.size()); }
    void go(int screen);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addKey(int key, void (Presenter::*what)());
    void forward() { go(screen_ + 1); }
    void back() { go(screen_ - 1); }
    void first() { go(0); }
    void last() { go(screens() - 1); }
    void act();
    void takeTheme();
    std::vector<LessonBlock> cut() const;
    void refresh();
    void showScreen();
    void showTimeline();

    ThemeSource& around_;  ///< of the desktop
    ThemeSource theme_;    ///< of this window, with large letters
    ThemeSource beside_;   ///< of the timeline: its letters are as large as the small ones of the parts
    ViewContext context_;
    std::vector<LessonBlock> blocks_;
    int lesson_ = -1;
    int screen_ = 0;
    QWidget* page_;
    QVBoxLayout* column_;
    QScrollArea* area_;
    LessonPart* part_ = nullptr;
    View* timeline_;  ///< below an experiment
    QLabel *title_, *place_;
};

}  // namespace shardlab::ui
