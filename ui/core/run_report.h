// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a run beside its events: its log, the names of its events, its ranks, the clocks of its hosts, its
// end.
#pragma once

#include "engine/trace/run_file/run_file.h"

#include <QObject>

#include <optional>
#include <vector>

namespace shardlab::ui {

class RunReport : public QObject {
    Q_OBJECT
public:
    struct Told {
        std::vector<LogLine> log;
        EventNames names;
        std::vector<RankRecord> ranks;  ///< ascending by rank
        std::vector<HostClock> clocks;  ///< of hosts other than the launcher's
        std::optional<RunEnd> end;      ///< none while the run goes on
    };

    const std::vector<LogLine>& log() const { return told_.log; }
    const EventNames& names() const { return told_.names; }
    const std::vector<RankRecord>& ranks() const { return told_.ranks; }
    const RankRecord* rank(int rank) const;  ///< nullptr: nothing is told of it
    /// The newest comparison of each other host's clock.
    const std::vector<HostClock>& clocks() const { return told_.clocks; }
    const std::optional<RunEnd>& end() const { return told_.end; }

    /// Everything but the end.
    void set(Told told);
    void add(const LogLine& line);
    void addName(std::uint32_t number, std::string text) { told_.names.add(number, std::move(text)); }
    void setRank(const RankRecord& record);
    void setClocks(const std::vector<HostClock>& clocks);  ///< replaces
    void setEnd(const RunEnd& end);

Q_SIGNALS:
    void logged();
    void ranksChanged();  ///< or the clocks
    void ended();

private:
    friend class RunModel;
    Told told_;
};

}  // namespace shardlab::ui
