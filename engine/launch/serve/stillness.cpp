// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/stillness.h"

#include "engine/base/clock.h"
#include "engine/base/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::launch {

Stillness::Stillness(int ranks, std::int64_t silence)
    : silence_(silence), doing_(static_cast<std::size_t>(ranks)), present_(static_cast<std::size_t>(ranks), false) {}

void Stillness::recorded(int rank, std::int64_t now) {
    newest_ = now;
    doing_[static_cast<std::size_t>(rank)].reset();
    holds_.clear();
}

std::optional<Stillness::Verdict> Stillness::judge(std::int64_t now) {
    if (newest_ == 0 || !holds_.empty() || now - newest_ < silence_) return std::nullopt;
    bool known = false;
    for (std::size_t rank = 0; rank < doing_.size(); ++rank) known = known || (doing_[rank] && present_[rank]);
    if (!known) return std::nullopt;
    Verdict made = verdict(now);
    holds_ = made.text;
    return made;
}

Stillness::Verdict Stillness::verdict(std::int64_t now) const {
    Verdict made;
    std::vector<std::string> hang;
    int waiting = 0;
    for (std::size_t rank = 0; rank < doing_.size(); ++rank) {
        if (!present_[rank]) continue;
        if (doing_[rank] && doing_[rank]->waits) {
            ++waiting;
            continue;
        }
        made.rank = hang.empty() ? static_cast<int>(rank) : -1;
        if (!doing_[rank]) {
            hang.push_back(fmt::format("the process of rank {} does not answer", rank));
            continue;
        }
        const std::string step = doing_[rank]->step < 0 ? "" : fmt::format(" of step {}", doing_[rank]->step);
        hang.push_back(fmt::format("rank {} stands still {}{}", rank, doing_[rank]->text, step));
    }
    const std::string since = formatSeconds(toSeconds(now - newest_));
    if (hang.empty()) {
        made.text =
            fmt::format("nothing has happened for {}: all {} ranks that are there wait for each other", since, waiting);
        return made;
    }
    made.text = fmt::format("nothing has happened for {}: {}{}", since, fmt::join(hang, ", "),
                            waiting > 0 ? fmt::format(", {} {} for others", waiting, waiting == 1 ? "waits" : "wait")
                                        : std::string());
    return made;
}

}  // namespace shardlab::launch
