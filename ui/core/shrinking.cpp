// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/shrinking.h"

#include "engine/launch/hosts/this_machine.h"
#include "engine/predict/search/shrink.h"
#include "ui/core/document.h"
#include "ui/core/field_words.h"

#include <QCoreApplication>

namespace shardlab::ui {

bool isDesignForOtherMachines(const Layout& layout) {
    return layout.cluster.pace && layout.cluster.agent.empty() && !allOwnNames(layout.cluster.hosts);
}

Result<QString> shrinkToThisMachine(Document& document, const Layout& layout) {
    const auto shrunk = predict::shrinkToThisMachine(layout);
    if (!shrunk) return fail(shrunk.error());
    document.change(shrunk->layout, QCoreApplication::translate("Shrinking", "Shrink to this machine"));
    return changesText(shrunk->changes);
}

}  // namespace shardlab::ui
