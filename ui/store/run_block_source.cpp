// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/run_block_source.h"

#include <algorithm>
#include <utility>

namespace shardlab::ui {

RunBlockSource::RunBlockSource(std::unique_ptr<RunReader> reader, std::filesystem::path file,
                               std::vector<BlockPlace> places)
    : file_(std::move(file)), places_(std::move(places)), damage_(reader->damage()), reader_(std::move(reader)) {}

Result<std::shared_ptr<RunBlockSource>> RunBlockSource::make(std::unique_ptr<RunReader> reader,
                                                             std::filesystem::path file) {
    auto places = reader->places();
    if (!places) return fail(places.error());
    return std::make_shared<RunBlockSource>(std::move(reader), std::move(file), std::move(*places));
}

Result<std::pair<Bytes, std::unique_ptr<BlockUnpacker>>> RunBlockSource::fetch(const BlockPlace& place) {
    const std::scoped_lock lock(mutex_);
    auto packed = reader_->packedBlock(place);
    if (!packed) return fail(packed.error());
    if (idle_.empty()) return std::pair{std::move(*packed), std::make_unique<BlockUnpacker>()};
    auto unpacker = std::move(idle_.back());
    idle_.pop_back();
    return std::pair{std::move(*packed), std::move(unpacker)};
}

Status RunBlockSource::read(BlockKey key, std::vector<Event>& events) {
    events.clear();
    const auto place = std::ranges::lower_bound(places_, key, {}, &BlockPlace::id);
    if (place == places_.end() || place->id != key)
        return fail({"the run is damaged", file_.string(), "block " + std::to_string(key) + " is gone", ""});
    auto fetched = fetch(*place);
    if (!fetched) return fail(fetched.error());
    auto& [packed, unpacker] = *fetched;
    Status read = RunReader::unpackBlock(*place, packed, *unpacker, events);
    if (!read) read.error().where = file_.string();
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(unpacker));
    return read;
}

}  // namespace shardlab::ui
