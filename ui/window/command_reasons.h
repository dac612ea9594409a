// SPDX-License-Identifier: GPL-3.0-or-later
// Why a command is not possible now: what the palette says beside it.
#pragma once

#include "ui/core/view.h"

namespace shardlab::ui {

class Workbench;

/// One clause, and what would make the command possible; of a command that is disabled in this workspace now.
QString whyNot(const QString& command, Workbench& workbench, Workspace workspace);

}  // namespace shardlab::ui
