// SPDX-License-Identifier: GPL-3.0-or-later
// A layout in a few words, as the chips of the top bar show it.
#pragma once

#include "engine/layout/layout.h"

#include <QString>

namespace shardlab::ui {

QString degreesText(const Layout& layout);  ///< rich text: "DP 2 · TP 1 · PP 4", figures bold
QString clusterText(const Layout& layout);  ///< rich text: "2 hosts · 8 ranks · cpu · paced as h100-sxm"

}  // namespace shardlab::ui
