// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a lesson on the screen: text, an experiment with its buttons, a question, a step, or a "what if".
#pragma once

#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/view.h"

#include <QFrame>
#include <QStringList>

#include <string>

class QVBoxLayout;

namespace shardlab::ui {

class LessonPart : public QFrame {
    Q_OBJECT
public:
    using QFrame::QFrame;
    /// Takes in what is known by now; `block` is the one that the part was made for.
    virtual void refresh(const LessonBlock& block) = 0;
    /// Does what a reader would do next with it: guess, run, stop. False: there is nothing.
    virtual bool act() { return false; }
    /// Goes to the guess one above (1) or below (-1). False: nothing is asked.
    virtual bool choose(int /*up*/) { return false; }
    /// What the arrows and Enter do with it now: "↑ ↓ choose", "Enter guess or run".
    virtual QStringList keys() const { return {}; }
    /// From now on act() and choose() are what a reader works it by, so that it shows what they are about.
    virtual void takeKeys() {}
    /// It should be no higher, in pixels.
    virtual void setRoom(int /*height*/) {}

Q_SIGNALS:
    void keysChanged();

protected:
    /// Frames the part as one with something to do. Its column leaves as much room as fits the letters.
    QVBoxLayout& beginTask(const ThemeSource& source);
};

/// How a lesson tells the engine's sentences: in the desktop's language.
std::string toldText(const Sentence& sentence);

/// Makes a part of the chosen lesson. The context's theme gives colours and sizes of letters.
LessonPart* makePart(const ViewContext& context, const LessonBlock& block, QWidget* parent);

}  // namespace shardlab::ui
