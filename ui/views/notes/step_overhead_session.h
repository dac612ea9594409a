// SPDX-License-Identifier: GPL-3.0-or-later
// Why the document's layout is slow: its largest overheads and the parts of its bubble, found in the background; those
// of an older layout are dropped.
#pragma once

#include "engine/predict/search/bubble_parts.h"
#include "engine/predict/search/step_overhead.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlab::ui {

class Document;

class StepOverheadSession : public QObject {
    Q_OBJECT
public:
    explicit StepOverheadSession(Document& document, QObject* parent);
    /// Largest first; none while they are sought, and of a layout with faults.
    const std::vector<StepOverhead>& overheads() const { return overheads_; }
    /// What the bubble consists of; none while that is sought, and of a layout with faults.
    const std::optional<BubbleParts>& bubble() const { return bubble_; }
    /// Makes the better layout of a overhead the document's: one undoable step.
    void take(std::size_t overhead);

Q_SIGNALS:
    void changed();

private:
    void refresh();
    void start();

    Document& document_;
    std::vector<StepOverhead> overheads_;
    std::optional<BubbleParts> bubble_;
    std::uint64_t generation_ = 0;
    bool working_ = false;
};

}  // namespace shardlab::ui
