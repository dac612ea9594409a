// SPDX-License-Identifier: Apache-2.0
// Sorts any number of events by time within bounded memory: full batches are sorted and go to a file that has no name,
// from which they are merged at the end.
#pragma once

#include "engine/base/result.h"
#include "engine/base/scratch_folder.h"
#include "engine/trace/interchange/foreign_event.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace shardlab::trace {

class EventSorter {
public:
    /// The events of a batch take 80 MB.
    static constexpr std::size_t batchEvents = std::size_t{1} << 20;

    /// `folder`: where what does not fit into memory is kept meanwhile.
    explicit EventSorter(std::filesystem::path folder, std::size_t batch = batchEvents)
        : folder_(std::move(folder)), batch_(batch) {}

    /// Error: the folder is full or cannot be written.
    Status add(const ForeignEvent& event);
    std::int64_t size() const { return size_; }
    /// All of them, ascending (earlier, then as they were added); once. `take` returns false to stop.
    Status merge(const std::function<bool(const ForeignEvent&)>& take);

private:
    struct Batch;  ///< one that lies in the file
    Status spill();
    void sort();

    std::filesystem::path folder_;
    std::size_t batch_;
    std::vector<ForeignEvent> events_;
    ScratchFile file_;
    std::vector<std::int64_t> batches_;  ///< number of events of each
    std::int64_t size_ = 0;
};

}  // namespace shardlab::trace
