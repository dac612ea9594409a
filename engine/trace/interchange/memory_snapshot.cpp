// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/memory_snapshot.h"

#include "engine/base/most_ranks.h"
#include "engine/base/visible_text.h"
#include "engine/trace/interchange/dump_file.h"
#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace shardlab::trace {
namespace {

using SnapshotValue = PlainPickle::Value;

constexpr std::size_t mostSnapshotBytes = std::size_t{2} << 30;
constexpr std::size_t mostSnapshotValues = 48'000'000;
constexpr std::int64_t mostDevices = 1024;
constexpr std::int64_t mostPieceBytes = std::int64_t{1} << 44;    ///< of one allocation or segment: 16 TiB
constexpr std::int64_t mostMicroseconds = std::int64_t{1} << 52;  ///< of a time: the year 2112
constexpr std::size_t mostOtherActions = 100, mostActionName = 40;

Error noSnapshot(const std::filesystem::path& file, const Sentence& why) {
    return {
        say("cannot read the memory snapshot"), file.string(), why,
        say("Legal is what torch.cuda.memory._dump_snapshot() writes, or a pickle of torch.cuda.memory._snapshot()")};
}

/// The digits after the last "rank" in the name, which "_" or "-" may stand before.
std::optional<int> rankNamed(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const std::size_t word = name.rfind("rank");
    if (word == std::string::npos) return std::nullopt;
    std::size_t first = word + 4;
    if (first < name.size() && (name[first] == '_' || name[first] == '-')) ++first;
    int rank = 0;
    const auto [end, error] = std::from_chars(name.data() + first, name.data() + name.size(), rank);
    if (error != std::errc() || rank < 0 || rank >= mostRanks) return std::nullopt;
    return rank;
}

std::optional<AllocatorEntry::Kind> entryKindOf(std::string_view action) {
    using enum AllocatorEntry::Kind;
    static constexpr std::pair<std::string_view, AllocatorEntry::Kind> actions[] = {{"alloc", Allocated},
                                                                                    {"free_requested", FreeRequested},
                                                                                    {"free_completed", FreeCompleted},
                                                                                    {"segment_alloc", Reserved},
                                                                                    {"segment_map", Reserved},
                                                                                    {"segment_free", Released},
                                                                                    {"segment_unmap", Released},
                                                                                    {"oom", OutOfMemory},
                                                                                    {"snapshot", Taken}};
    const auto found = std::ranges::find(actions, action, &std::pair<std::string_view, AllocatorEntry::Kind>::first);
    return found == std::end(actions) ? std::nullopt : std::optional(found->second);
}

class SnapshotReader {
public:
    explicit SnapshotReader(const std::filesystem::path& file) : file_(file) {}

    Result<MemorySnapshot> read(SnapshotValue root) {
        snapshot_.rank = rankNamed(file_);
        const SnapshotValue segments = root["segments"], traces = root["device_traces"];
        if (segments.kind() != Pickled::Kind::List) return fail(noSnapshot(file_, say("it has no list \"segments\"")));
        for (std::size_t i = 0; i < segments.size(); ++i)
            if (const Status read = segment(segments[i], i); !read) return fail(read.error());
        for (std::size_t i = 0; i < traces.size(); ++i) {
            if (traces[i].size() == 0) continue;
            const auto device = of(static_cast<std::int64_t>(i), fmt::format("/device_traces/{}", i));
            if (!device) return fail(device.error());
            for (std::size_t each = 0; each < traces[i].size(); ++each)
                if (const Status read = entry(traces[i][each], **device, i, each); !read) return fail(read.error());
            std::ranges::stable_sort((*device)->entries, {}, &AllocatorEntry::time);
        }
        for (auto& [device, memory] : devices_) snapshot_.devices.push_back(std::move(memory));
        if (snapshot_.devices.empty())
            return fail(noSnapshot(file_, say("it holds no segment and no entry of any device")));
        return std::move(snapshot_);
    }

private:
    Error wrongAt(const std::string& where, std::string_view key) const {
        return noSnapshot(file_, say("{}/{} is missing, or cannot be", where, key));
    }

    Result<DeviceMemory*> of(std::int64_t device, const std::string& where) {
        if (device < 0 || device >= mostDevices) return fail(wrongAt(where, "device"));
        DeviceMemory& memory = devices_[static_cast<int>(device)];
        memory.device = static_cast<int>(device);
        return &memory;
    }

    Result<std::int64_t> bytesOf(SnapshotValue holder, std::string_view key, const std::string& where) const {
        const auto bytes = holder[key].whole();
        if (!bytes || *bytes < 0 || *bytes > mostPieceBytes) return fail(wrongAt(where, key));
        return *bytes;
    }

    Status segment(SnapshotValue segment, std::size_t number) {
        const std::string where = fmt::format("/segments/{}", number);
        const auto memory = of(segment["device"].whole().value_or(0), where);
        if (!memory) return fail(memory.error());
        const auto size = bytesOf(segment, "total_size", where);
        if (!size) return fail(size.error());
        grow((*memory)->reserved, *size);
        const SnapshotValue blocks = segment["blocks"];
        // Before blocks told their addresses they stood side by side from the segment's on.
        std::uint64_t address = static_cast<std::uint64_t>(segment["address"].whole().value_or(0));
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const SnapshotValue block = blocks[i];
            const auto bytes = bytesOf(block, "size", fmt::format("{}/blocks/{}", where, i));
            if (!bytes) return fail(bytes.error());
            if (const auto told = block["address"].whole()) address = static_cast<std::uint64_t>(*told);
            const std::string_view state = block["state"].text();
            (*memory)->blocks.push_back({.address = address,
                                         .bytes = *bytes,
                                         .held = state == "active_allocated",
                                         .free = state == "inactive",
                                         .phase = phases_.of(block["frames"])});
            address += static_cast<std::uint64_t>(*bytes);
        }
        return {};
    }

    Status entry(SnapshotValue told, DeviceMemory& memory, std::size_t device, std::size_t number) {
        const std::string_view action = told["action"].text();
        const auto kind = entryKindOf(action);
        if (!kind) {
            const std::string name = visible(action.substr(0, mostActionName));
            if (snapshot_.unread.size() < mostOtherActions || snapshot_.unread.contains(name)) ++snapshot_.unread[name];
            else ++snapshot_.unread["of other actions"];
            return {};
        }
        const std::string where = fmt::format("/device_traces/{}/{}", device, number);
        const auto bytes = bytesOf(told, "size", where);
        if (!bytes && *kind != AllocatorEntry::Kind::Taken) return fail(bytes.error());
        auto time = told["time_us"].whole();
        if (!time) {
            snapshot_.timed = false;
            time = static_cast<std::int64_t>(number);
        }
        if (*time < 0 || *time > mostMicroseconds) return fail(wrongAt(where, "time_us"));
        memory.entries.push_back({.kind = *kind,
                                  .phase = phases_.of(told["frames"]),
                                  .time = *time * 1000,
                                  .address = static_cast<std::uint64_t>(told["addr"].whole().value_or(0)),
                                  .bytes = bytes.value_or(0)});
        return {};
    }

    const std::filesystem::path& file_;
    MemorySnapshot snapshot_;
    std::map<int, DeviceMemory> devices_;
    AllocationPhases phases_;
};

/// The key as a text of any protocol that Python writes.
bool picklesKey(std::string_view head, std::string_view key) {
    const char size = static_cast<char>(key.size());
    for (const std::string& before :
         {std::string{'\x8c', size}, std::string{'X', size, 0, 0, 0}, std::string{'U', size}})
        if (head.find(before + std::string(key)) != std::string_view::npos) return true;
    return false;
}

}  // namespace

bool isMemorySnapshot(std::string_view head) {
    return isPickle(head) && (picklesKey(head, "segments") || picklesKey(head, "device_traces"));
}

Result<MemorySnapshot> readMemorySnapshot(const std::filesystem::path& file, const ShareWatcher& watcher) {
    const auto bytes = firstBytes(file, mostSnapshotBytes + 1, watcher);
    if (!bytes) return fail(bytes.error());
    if (bytes->size() > mostSnapshotBytes) return fail(noSnapshot(file, say("it is larger than 2 GiB")));
    if (!isPickle(*bytes)) return fail(noSnapshot(file, say("it is no pickle")));
    const auto pickle = PlainPickle::read(*bytes, file.string(), {.values = mostSnapshotValues});
    if (!pickle) return fail(pickle.error());
    return SnapshotReader(file).read(pickle->root());
}

}  // namespace shardlab::trace
