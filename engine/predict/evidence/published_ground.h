// SPDX-License-Identifier: Apache-2.0
// What a prediction stands on: published runs that are like the layout, and how far predictions of these are from what
// was published.
#pragma once

#include "engine/predict/evidence/validation.h"

namespace shardlab::predict {

/// What decides which runs are like a layout: "megatron-core on hopper with tensor groups, a pipeline". Empty where
/// the layout names no software stack but Shardlab's own.
std::string likenessOf(const Layout& layout);
/// The methods among that: "tensor groups", "a pipeline", …; none where there are data replicas alone.
std::vector<std::string_view> likenessMethods(const Layout& layout);

struct PublishedGround {
    std::string likeness;       ///< what the runs share with the layout
    ErrorSummary time, memory;  ///< of those runs; no rows: none was published
    bool any() const { return time.rows > 0; }
    /// For people: "43 published runs of megatron-core on hopper: the step within 3.1 % in the median, …".
    std::string text() const;
};

/// The runs of `table` that have the layout's likeness; where they are fewer than five, all of its stack on its
/// architecture. The layout has a likeness.
PublishedGround publishedGround(const Layout& layout, const CsvTable& table);

/// The published runs that come with Shardlab.
const std::filesystem::path& publishedRunsFile();
/// The ground in these; none where the layout has no likeness. Errors: the file cannot be read.
Result<std::optional<PublishedGround>> publishedGround(const Layout& layout);

}  // namespace shardlab::predict
