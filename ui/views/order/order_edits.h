// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can do to an order: each gives a new one. Whether it is right is said by findMisfit().
#pragma once

#include "engine/base/result.h"
#include "engine/layout/schedule/schedule.h"

#include <string_view>

namespace shardlab::ui {

/// Where an action stands.
struct OrderPlace {
    int rank = -1;
    int position = -1;
    bool operator==(const OrderPlace&) const = default;
};

/// nullptr where nothing stands.
const Action* actionAt(const Schedule& schedule, OrderPlace place);
/// The action moved within its rank, so that it then stands at position `to`.
Schedule movedOrder(Schedule schedule, OrderPlace from, int to);
/// The action replaced by those of `text`, "2I3,2W3"; by none where it is blank. Error where they are none, or of a
/// stage that another rank holds.
Result<Schedule> retypedOrder(Schedule schedule, OrderPlace at, std::string_view text);

}  // namespace shardlab::ui
