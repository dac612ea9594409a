// SPDX-License-Identifier: GPL-3.0-or-later
// The chosen lesson on the whole screen for people in a room: one idea a screen, in large letters, by keys.
#pragma once

#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/theme.h"
#include "ui/core/view.h"
#include "ui/views/lesson/lesson_part.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace shardlab::ui {

class Presenter : public QWidget {
    Q_OBJECT
public:
    Presenter(const ViewContext& context, QWidget* parent);

    /// Shows the first screen of the chosen lesson; where it was left, if it is still the same lesson.
    void begin();
    int screen() const { return screen_; }
    int screens() const { return static_cast<int>(screens_.size()); }
    void go(int screen);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// One idea, below the heading that would otherwise stand alone before it.
    struct Screen {
        LessonBlock block;
        std::string heading;
    };

    void addKey(int key, void (Presenter::*what)());
    /// Beyond a lesson's last screen the next lesson begins, so that two keys lead through all of them.
    void forward();
    void back();
    bool atLesson(int lesson) const;
    void first() { go(0); }
    void last() { go(screens() - 1); }
    void act();
    void up() { choose(1); }
    void down() { choose(-1); }
    /// A guess, or where nothing is asked what a long screen shows.
    void choose(int up);
    void takeTheme();
    std::vector<Screen> cut() const;
    void refresh();
    void showScreen();
    void showTimeline();
    void showKeys();
    void dropParts();

    ThemeSource& around_;  ///< of the desktop
    ThemeSource theme_;    ///< of this window, with large letters
    ThemeSource beside_;   ///< of the timeline: its letters are as large as the small ones of the parts
    ViewContext context_;
    std::vector<Screen> screens_;
    int lesson_ = -1;
    int screen_ = 0;
    QWidget* page_;
    QVBoxLayout* column_;
    QScrollArea* area_;
    LessonPart *heading_ = nullptr, *part_ = nullptr;
    std::vector<std::unique_ptr<LessonPart>> gone_;  ///< as soon as nothing that they were asked to do goes on
    View* timeline_;  ///< below an experiment, and below a question whose experiment runs
    QLabel *title_, *place_;
};

}  // namespace shardlab::ui
