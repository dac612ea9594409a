// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/scratch_block_source.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <unistd.h>
#include <utility>

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

BlockKey ScratchBlockSource::placed(Place place) {
    places_.emplace(++lastKey_, std::move(place));
    return lastKey_;
}

BlockKey ScratchBlockSource::add(std::span<const Event> events) {
    const auto packed = packer_.pack(events);
    Bytes piece(sizeof(Link) + packed.size());
    const Link link{.size = static_cast<std::int64_t>(packed.size())};
    std::memcpy(piece.data(), &link, sizeof link);
    std::ranges::copy(packed, piece.begin() + sizeof link);
    Place place;
    const std::scoped_lock lock(mutex_);
    if (lastKey_ == 0) file_ = scratchFile();
    if (file_ && writeAll(fileno(file_.get()), piece, end_)) {
        place.first = place.last = end_;
        end_ += static_cast<std::int64_t>(piece.size());
    } else {
        place.kept.emplace_back(packed.begin(), packed.end());
    }
    return placed(std::move(place));
}

std::optional<BlockKey> ScratchBlockSource::join(BlockKey first, BlockKey second) {
    const std::scoped_lock lock(mutex_);
    const auto one = places_.find(first), other = places_.find(second);
    if (one == places_.end() || other == places_.end() || one == other) return {};
    Place &joined = one->second, &after = other->second;
    if (joined.first == none) {
        joined.first = after.first;
    } else if (after.first != none) {
        const auto next = std::as_bytes(std::span(&after.first, 1));
        if (!writeAll(fileno(file_.get()), next, joined.last + std::int64_t{offsetof(Link, next)})) return {};
    }
    if (after.last != none) joined.last = after.last;
    std::ranges::move(after.kept, std::back_inserter(joined.kept));
    Place place = std::move(joined);
    places_.erase(one);
    places_.erase(other);
    return placed(std::move(place));
}

Status ScratchBlockSource::read(BlockKey key, std::vector<Event>& events) {
    events.clear();
    const std::scoped_lock lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return fail({"cannot read events again", "", "there is no such block", ""});
    std::vector<Event> part;
    const auto take = [&](std::span<const std::byte> packed) {
        Status unpacked = unpacker_.unpack(packed, part);
        if (unpacked) events.insert(events.end(), part.begin(), part.end());
        return unpacked;
    };
    Bytes packed;
    for (Link link{.next = found->second.first}; link.next != none;) {
        const std::int64_t at = link.next;
        const auto readable = [&](std::span<std::byte> bytes, std::size_t offset) {
            return readAll(fileno(file_.get()), bytes, at + static_cast<std::int64_t>(offset));
        };
        bool whole = readable(std::as_writable_bytes(std::span(&link, 1)), 0) && link.size > 0 && link.size < end_;
        if (whole) packed.resize(static_cast<std::size_t>(link.size));
        whole = whole && readable(packed, sizeof link);
        if (!whole) return fail({"cannot read events again", "the temporary file", "it is truncated", ""});
        if (Status taken = take(packed); !taken) return taken;
    }
    for (const Bytes& kept : found->second.kept)
        if (Status taken = take(kept); !taken) return taken;
    return {};
}

}  // namespace shardlab::ui
