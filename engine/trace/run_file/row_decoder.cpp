// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/row_decoder.h"

#include "engine/base/most_ranks.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/run_file/countable_layout.h"
#include "engine/trace/run_file/run_schema.h"

#include <algorithm>

namespace shardlab::trace {

void RowDecoder::refuse(Sentence why) {
    if (!error_) error_ = Error{say("cannot follow the run"), "", std::move(why), ""};
}

/// Whether rows can be handed over; `what` is the row that comes.
bool RowDecoder::ready(const char* what) {
    if (!begun_) refuse(say("{} came before the run's header", what));
    return !error_;
}

void RowDecoder::meta(std::string_view key, std::string_view value) {
    if (error_) return;
    if (!begun_ && (key == meta::header || key == meta::layout)) {
        (key == meta::header ? header_ : layout_) = std::string(value);
        if (!header_ || !layout_) return;
        RunHeader header;
        header.layoutJson = *layout_;
        const auto layout = parseLayout(*layout_);
        if (!layout) return refuse(layout.error().told());
        header.layout = layout->layout;
        if (!isCountable(header.layout))
            return refuse(say("its layout has more ranks, stages or layers than a run can have"));
        if (const Status read = readHeader(*header_, header); !read) return refuse(read.error().told());
        begun_ = true;
        observer_.begun(header);
        for (const auto& [earlier, content] : std::exchange(early_, {})) this->meta(earlier, content);
        return;
    }
    if (!begun_) {
        // What is not looked at later is not kept, and nothing twice: whoever serves a run could go on for ever.
        if (key != meta::restarts && key != meta::clocks && key != meta::end) return;
        const auto known = std::ranges::find(early_, key, &decltype(early_)::value_type::first);
        if (known == early_.end()) early_.emplace_back(key, value);
        else known->second = value;
        return;
    }
    if (key == meta::restarts) {
        std::vector<Event> restarts;
        if (const Status read = readRestarts(value, restarts); !read) return refuse(read.error().told());
        observer_.restartsKnown(restarts);
    } else if (key == meta::clocks) {
        std::vector<HostClock> clocks;
        if (const Status read = readClocks(value, clocks); !read) return refuse(read.error().told());
        observer_.clocksMeasured(clocks);
    } else if (key == meta::end) {
        RunEnd end;
        if (const Status read = readEnd(value, end); !read) return refuse(read.error().told());
        end_ = end;
    }
}

void RowDecoder::rank(const RankRecord& record) {
    if (!ready("a rank")) return;
    if (record.rank < 0 || record.rank >= mostRanks)
        return refuse(say("it tells of rank {}, and a run numbers its ranks from 0 to {}", record.rank, mostRanks - 1));
    observer_.rankChanged(record);
}

void RowDecoder::log(std::int64_t, const LogLine& line) {
    if (ready("a log line")) observer_.logged(line);
}

void RowDecoder::name(std::int64_t number, std::string_view text) {
    if (ready("a name")) observer_.named(static_cast<std::uint32_t>(number), std::string(text));
}

void RowDecoder::block(const BlockPart& part) {
    if (!ready("a block of events")) return;
    if (const Status unpacked = unpacker_.unpack(part.packed, events_); !unpacked)
        return refuse(unpacked.error().told());
    const auto belongs = [&](const Event& event) { return event.lane == part.of.lane && event.rank == part.of.rank; };
    if (events_.size() != part.count || !std::ranges::all_of(events_, belongs))
        return refuse(say("a block holds other events than it says"));
    if (part.of.source == EventSource::Predicted) observer_.predictedArrived(events_);
    else observer_.eventsArrived(events_);
}

}  // namespace shardlab::trace
