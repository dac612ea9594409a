// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart says of the place under the pointer: shown as a tooltip, and copied by a right click.
#pragma once

#include <QString>

class QEvent;
class QPoint;
class QWidget;

namespace shardlab::ui {

class WordsAt {
public:
    virtual ~WordsAt() = default;
    /// Empty where there is nothing. `at` in the chart's own coordinates.
    virtual QString wordsAt(const QPoint& at) const = 0;
};

/// Shows what the chart says where `event` asks for a tooltip; false: it does not ask for one.
bool showsWords(const WordsAt& says, QWidget& chart, const QEvent& event);

}  // namespace shardlab::ui
