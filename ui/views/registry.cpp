// SPDX-License-Identifier: GPL-3.0-or-later
// Every view there is: one include and one line each. Where a view stands at first is in window/arrangement.cpp.
#include "ui/core/child.h"
#include "ui/core/view.h"

#include <vector>

namespace shardlab {
namespace {

template <class Kind>
View* make(const ViewContext& context, QWidget* parent) {
    return child<Kind>(context, parent);
}

}  // namespace

std::span<const ViewKind> viewKinds() {
    // id, title, design, run, replay, create, head
    static const std::vector<ViewKind> kinds{
    };
    return kinds;
}

}  // namespace shardlab
