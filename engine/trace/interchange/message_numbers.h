// SPDX-License-Identifier: Apache-2.0
// Numbers messages so that a send and its receive, and no other event, have the same number.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <optional>

namespace shardlab::trace {

class MessageNumbers {
public:
    explicit MessageNumbers(const RunHeader& header);
    /// Empty where the event is no end of a message of the run's layout, or a measured one of no step.
    std::optional<std::int64_t> number(const Event& event, EventSource source) const;

private:
    Mesh mesh_;
    int stages_;
    int microbatches_;
};

}  // namespace shardlab::trace
