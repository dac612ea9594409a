// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/host_clock.h"

#include "engine/base/clock.h"
#include "engine/base/json_fields.h"
#include "engine/base/units.h"
#include "engine/trace/event/legal_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using OrderedJson = nlohmann::ordered_json;

}  // namespace

std::string toText(const HostClock& clock) {
    const double offset = toSeconds(clock.offset);
    return fmt::format("{}{} ± {}", clock.offset < 0 ? "−" : "+", formatSeconds(std::abs(offset)),
                       formatSeconds(toSeconds(clock.uncertainty)));
}

void HostClocks::add(const HostClock& clock) {
    auto host = std::ranges::find(hosts_, clock.host, &Host::name);
    if (host == hosts_.end()) host = hosts_.insert(host, {clock.host, {}, 0, 1});
    // The last place holds the newest, which stays only where its turn has come.
    const bool provisional = host->seen > 0 && (host->seen - 1) % host->stride != 0;
    if (provisional) host->kept.back() = clock;
    else host->kept.push_back(clock);
    ++host->seen;
    if (host->kept.size() <= most) return;
    const HostClock last = host->kept.back();
    std::vector<HostClock> half;
    for (std::size_t i = 0; i < host->kept.size(); i += 2) half.push_back(host->kept[i]);
    host->stride *= 2;
    if (half.back() != last) half.push_back(last);
    host->kept = std::move(half);
}

std::vector<HostClock> HostClocks::all() const {
    std::vector<HostClock> all;
    for (const Host& host : hosts_) all.insert(all.end(), host.kept.begin(), host.kept.end());
    return all;
}

std::vector<HostClock> latestOf(std::span<const HostClock> clocks) {
    std::vector<HostClock> latest;
    for (const HostClock& clock : clocks) {
        const auto known = std::ranges::find(latest, clock.host, &HostClock::host);
        if (known == latest.end()) latest.push_back(clock);
        else if (clock.time >= known->time) *known = clock;
    }
    return latest;
}

std::string writeClocks(std::span<const HostClock> clocks) {
    OrderedJson all = OrderedJson::array();
    for (const HostClock& clock : clocks)
        all.push_back({{"host", clock.host},
                       {"time", clock.time},
                       {"offset", clock.offset},
                       {"uncertainty", clock.uncertainty},
                       {"drift", clock.drift}});
    return OrderedJson{{"clocks", std::move(all)}}.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Status readClocks(std::string_view text, std::vector<HostClock>& clocks) {
    const OrderedJson json = OrderedJson::parse(text, nullptr, false);
    if (!json.is_object()) return fail({"damaged run file", "", "its list of clocks is no JSON object", ""});
    const auto all = json.find("clocks");
    if (all == json.end() || !all->is_array()) return {};
    for (const OrderedJson& each : *all) {
        if (!each.is_object()) continue;
        HostClock clock;
        take(each, "host", clock.host);
        take(each, "time", clock.time);
        take(each, "offset", clock.offset);
        take(each, "uncertainty", clock.uncertainty);
        take(each, "drift", clock.drift);
        if (!isLegalTime(clock.time) || !isLegalTime(clock.offset) || !isLegalTime(clock.uncertainty))
            return fail({"damaged run file", "",
                         fmt::format("the clock of {} was compared at {} ns, or is off by {} ± {} ns, beyond all times",
                                     clock.host, clock.time, clock.offset, clock.uncertainty),
                         legalTimes});
        clocks.push_back(std::move(clock));
    }
    return {};
}

}  // namespace shardlab::trace
