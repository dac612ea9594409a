// SPDX-License-Identifier: GPL-3.0-or-later
// Actions in words, for whoever does not read 1RECV_F0.
#pragma once

#include "engine/layout/schedule/action.h"

#include <QString>

namespace shardlab::ui {

/// "receive forward · stage 1 · microbatch 0"
QString actionWords(const Action& action);
/// "1RECV_F0, receive forward · stage 1 · microbatch 0"
QString actionWithWords(const Action& action);

}  // namespace shardlab::ui
