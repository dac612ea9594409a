// SPDX-License-Identifier: GPL-3.0-or-later
// Shrink to this machine, in the desktop.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <QString>

namespace shardlab::ui {

class Document;

/// Whether the layout is a design for machines that nobody has named a way to: its devices are modelled, it lists
/// other hosts than this one, and no agent to reach them by. Such hosts are names in a plan more often than machines.
bool isDesignForOtherMachines(const Layout& layout);

/// Makes the twin of a legal layout that trains here (predict/search/shrink.h) the document's layout; can be undone.
/// Returns what differs, in the words of the form.
Result<QString> shrinkToThisMachine(Document& document, const Layout& layout);

}  // namespace shardlab::ui
