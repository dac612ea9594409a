// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/restart_policy.h"

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

namespace shardlab::launch {

namespace {

/// Says why there is no checkpoint, where `found` has none.
Error without(const char* what, std::string why, const RestartPoint& found) {
    if (!found.broken.empty()) why += fmt::format(": {}", fmt::join(found.broken, "; "));
    return {.what = what, .where = {}, .why = why, .legal = {}};
}

}  // namespace

RestartPolicy::RestartPolicy(Layout layout, std::filesystem::path folder, std::filesystem::path resume)
    : layout_(std::move(layout)), folder_(std::move(folder)), resume_(std::move(resume)), last_(resume_) {
    if (const auto places = listCheckpoints(folder_); !places.empty()) before_ = places.back().serial;
}

RestartPoint RestartPolicy::find(bool again) const {
    std::vector<std::filesystem::path> candidates;
    if (!resume_.empty()) candidates.push_back(resume_);
    for (const CheckpointPlace& place : listCheckpoints(folder_))
        if (place.serial > before_) candidates.push_back(place.path);
    RestartPoint found;
    std::vector<std::string> broken;
    for (; !candidates.empty(); candidates.pop_back()) {
        const std::filesystem::path& place = candidates.back();
        const auto manifest = readWhole(place);
        if (!manifest && found.checkpoint.empty()) broken.push_back(manifest.error().text());
        if (!manifest || !canContinue(layout_, *manifest, place)) continue;
        const bool known = !again && place == last_;
        if (known && !found.checkpoint.empty()) continue;
        found = {place, manifest->step, 0, {}};
        if (!known) break;
    }
    found.broken = std::move(broken);
    return found;
}

Result<RestartPoint> RestartPolicy::next(bool stepped) {
    if (used_ == most())
        return fail(
            Error{.what = say("not restarted"),
                  .why = most() == 1 ? say("the one restart is used") : say("all {} restarts are used", most())});
    RestartPoint found = find(stepped);
    if (found.checkpoint.empty())
        return fail(without("not restarted",
                            layout_.checkpoint.every == 0
                                ? "there is no checkpoint to go back to; /checkpoint/every is 0"
                                : "there is no checkpoint to go back to",
                            found));
    found.number = ++used_;
    last_ = found.checkpoint;
    return found;
}

Result<RestartPoint> RestartPolicy::newest(bool trained) {
    const RestartPoint found = find(true);
    if (found.checkpoint.empty() && trained)
        return fail(without("not resized", "there is no checkpoint to go on from", found));
    last_ = found.checkpoint;
    return found;
}

}  // namespace shardlab::launch
