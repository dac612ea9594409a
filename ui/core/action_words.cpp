// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/action_words.h"

#include "engine/trace/event/event.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

namespace shardlab::ui {

QString actionWords(const Action& action) {
    QString words = term(name(eventKind(action.kind))) + tr(" · stage %1").arg(action.stage);
    if (action.microbatch >= 0) words += tr(" · microbatch %1").arg(action.microbatch);
    if (action.version >= 0) words += tr(" · weights v%1").arg(action.version);
    return words;
}

QString actionWithWords(const Action& action) {
    return QStringLiteral("%1, %2").arg(text(toText(action)), actionWords(action));
}

}  // namespace shardlab::ui
