// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/status_line.h"
#include "tests/support/wings.h"

#include <QLabel>

namespace shardlab::test {

/// What the status line of a workspace says.
inline QString statusText(Workbench& workbench, Workspace workspace) {
    StatusLine line(workbench, nullptr);
    line.setWorkspace(workspace);
    for (const QLabel* label : line.findChildren<QLabel*>())
        if (label->accessibleName() == StatusLine::tr("Status")) return label->text();
    return {};
}

}  // namespace shardlab::test
