// SPDX-License-Identifier: Apache-2.0
// Why is this illegal? check() says it; this says which legal layout is nearest.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlab::predict {

struct FieldChange {
    std::string pointer;   ///< "/parallel/pipeline"
    std::string from, to;  ///< as JSON
    bool operator==(const FieldChange&) const = default;
};

/// "/parallel/pipeline 2 instead of 3"
Sentence sentenceOf(const FieldChange& change);

/// The fields of `from` that have another value in `to`, in the order of the layout file.
std::vector<FieldChange> changesBetween(const Layout& from, const Layout& to);

struct LegalLayout {
    Layout layout;
    std::vector<FieldChange> changes;  ///< in the order of the layout file
};

/// Numbers beyond their limits take the limit, or where that is next to nothing what a layout begins with, and an
/// unknown schedule the nearest known one; heads become the nearest number that divides the width and that the tensor
/// group can share; of two as near the larger. What is still wrong with degrees, schedule, chunks, stages or microbatch
/// gives way to the legal choice of a search (search_axes.h) that changes the fewest of them, by the smallest factors,
/// on as many devices as there are. Nothing where that does not make it legal.
std::optional<LegalLayout> nearestLegal(const Layout& layout);

/// Where the times of the layout's stack are not known on its device, it takes one whose times are: one of a name like
/// it, else the first that is known there; Shardlab's own is known everywhere.
void repairStack(Layout& layout);

/// "/parallel/pipeline 2 instead of 3, /batch/micro 1 instead of 4"
std::string toText(const LegalLayout& legal);

}  // namespace shardlab::predict
