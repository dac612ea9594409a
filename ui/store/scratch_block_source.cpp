// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/scratch_block_source.h"

#include <unistd.h>

namespace shardlab::ui {
namespace {

bool writeAll(int file, std::span<const std::byte> bytes, std::int64_t offset) {
    while (!bytes.empty()) {
        const ssize_t written = pwrite(file, bytes.data(), bytes.size(), offset);
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += written;
    }
    return true;
}

bool readAll(int file, std::span<std::byte> bytes, std::int64_t offset) {
    while (!bytes.empty()) {
        const ssize_t read = pread(file, bytes.data(), bytes.size(), offset);
        if (read <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(read));
        offset += read;
    }
    return true;
}

}  // namespace

BlockKey ScratchBlockSource::add(std::span<const Event> events) {
    const auto packed = packer_.pack(events);
    Place place{.offset = end_, .size = packed.size(), .kept = {}};
    const std::scoped_lock lock(mutex_);
    if (places_.empty()) file_.reset(std::tmpfile());
    if (file_ && writeAll(fileno(file_.get()), packed, end_)) end_ += static_cast<std::int64_t>(packed.size());
    else place.kept.assign(packed.begin(), packed.end());
    places_.push_back(std::move(place));
    return static_cast<BlockKey>(places_.size());
}

Status ScratchBlockSource::read(BlockKey key, std::vector<Event>& events) {
    events.clear();
    const std::scoped_lock lock(mutex_);
    if (key < 1 || key > static_cast<BlockKey>(places_.size()))
        return fail({"cannot read events again", "", "there is no such block", ""});
    const Place& place = places_[static_cast<std::size_t>(key) - 1];
    if (!place.kept.empty()) return unpacker_.unpack(place.kept, events);
    Bytes packed(place.size);
    if (!readAll(fileno(file_.get()), packed, place.offset))
        return fail({"cannot read events again", "the temporary file", "it is truncated", ""});
    return unpacker_.unpack(packed, events);
}

}  // namespace shardlab::ui
