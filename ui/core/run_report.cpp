// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_report.h"

#include <algorithm>

namespace shardlab::ui {

const RankRecord* RunReport::rank(int rank) const {
    const auto known = std::ranges::lower_bound(told_.ranks, rank, {}, &RankRecord::rank);
    return known != told_.ranks.end() && known->rank == rank ? &*known : nullptr;
}

void RunReport::set(Told told) {
    told_ = std::move(told);
    told_.clocks = latestOf(told_.clocks);
    Q_EMIT logged();
    Q_EMIT ranksChanged();
}

void RunReport::add(const LogLine& line) {
    told_.log.push_back(line);
    Q_EMIT logged();
}

void RunReport::setRank(const RankRecord& record) {
    const auto place = std::ranges::lower_bound(told_.ranks, record.rank, {}, &RankRecord::rank);
    if (place != told_.ranks.end() && place->rank == record.rank) *place = record;
    else told_.ranks.insert(place, record);
    Q_EMIT ranksChanged();
}

void RunReport::setClocks(const std::vector<HostClock>& clocks) {
    told_.clocks = latestOf(clocks);
    Q_EMIT ranksChanged();
}

void RunReport::setEnd(const RunEnd& end) {
    told_.end = end;
    Q_EMIT ended();
}

}  // namespace shardlab::ui
