// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/words_at.h"

#include <QHelpEvent>
#include <QToolTip>

namespace shardlab::ui {

bool showsWords(const WordsAt& says, QWidget& chart, const QEvent& event) {
    if (event.type() != QEvent::ToolTip) return false;
    const auto& help = static_cast<const QHelpEvent&>(event);
    QToolTip::showText(help.globalPos(), says.wordsAt(help.pos()), &chart);
    return true;
}

}  // namespace shardlab::ui
