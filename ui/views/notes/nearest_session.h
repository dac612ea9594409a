// SPDX-License-Identifier: GPL-3.0-or-later
// The legal layout that is nearest to a faulty one, looked for on a worker thread after every change.
#pragma once

#include "engine/predict/search/nearest_legal.h"

#include <QObject>

#include <cstdint>
#include <optional>

namespace shardlab::ui {

class Document;

class NearestSession : public QObject {
    Q_OBJECT
public:
    explicit NearestSession(Document& document, QObject* parent);
    /// The nearest legal layout to the document's; none while the document's layout is legal, while the search runs, or
    /// where there is none.
    const std::optional<LegalLayout>& nearest() const { return nearest_; }
    /// Makes it the document's layout: one undoable step.
    void take();

Q_SIGNALS:
    void changed();

private:
    void refresh();
    void start();

    Document& document_;
    std::optional<LegalLayout> nearest_;
    std::uint64_t generation_ = 0;
    bool working_ = false;
};

}  // namespace shardlab::ui
