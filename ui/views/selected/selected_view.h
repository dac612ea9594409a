// SPDX-License-Identifier: GPL-3.0-or-later
// The selected action: what, where, when, how long against the prediction, what it waited for. Without one, the
// selected rank.
#pragma once

#include "engine/base/wings.h"
#include "ui/core/fact_list.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <vector>

namespace shardlab::trace {
struct Event;
}  // namespace shardlab::trace

namespace shardlab::ui {

struct Dependency;

class SelectedView : public View {
    Q_OBJECT
public:
    SelectedView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }

private:
    void refresh();
    std::vector<Fact> actionFacts(const Event& event) const;
    std::vector<Fact> rankFacts(int rank) const;
    QString place(int rank) const;
    /// For an action that waited for nothing: whether its input had come, and from where.
    QString withoutWait(const Event& event, const std::vector<Dependency>& arrows) const;

    FactList* facts_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
