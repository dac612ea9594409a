// SPDX-License-Identifier: GPL-3.0-or-later
// Why the document's layout is slow: its largest losses, found in the background; those of an older layout are dropped.
#pragma once

#include "engine/predict/search/losses.h"

#include <QObject>

#include <cstdint>
#include <vector>

namespace shardlab {

class Document;

class LossesSession : public QObject {
    Q_OBJECT
public:
    explicit LossesSession(Document& document, QObject* parent);
    /// Largest first; none while they are sought, and of a layout with faults.
    const std::vector<Loss>& losses() const { return losses_; }
    /// Makes the better layout of a loss the document's: one undoable step.
    void take(std::size_t loss);

Q_SIGNALS:
    void changed();

private:
    void refresh();
    void start();

    Document& document_;
    std::vector<Loss> losses_;
    std::uint64_t generation_ = 0;
    bool working_ = false;
};

}  // namespace shardlab
