// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/shrinking.h"

#include "engine/launch/hosts/this_machine.h"
#include "engine/predict/search/shrink.h"
#include "ui/core/document.h"
#include "ui/core/field_words.h"
#include "ui/core/words.h"

namespace shardlab::ui {

bool isDesignForOtherMachines(const Layout& layout) {
    return layout.cluster.pace && layout.cluster.agent.empty() && !allOwnNames(layout.cluster.hosts);
}

Result<QString> shrinkToThisMachine(Document& document, const Layout& layout) {
    const auto shrunk = predict::shrinkToThisMachine(layout);
    if (!shrunk) return fail(shrunk.error());
    document.change(shrunk->layout, tr("Shrink to this machine"));
    return changesText(shrunk->changes);
}

}  // namespace shardlab::ui
