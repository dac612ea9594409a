// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/traffic/traffic_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/fact_list.h"
#include "ui/core/text.h"

#include "engine/base/units.h"
#include "ui/core/words.h"

#include <QVBoxLayout>

namespace shardlab::ui {

TrafficView::TrafficView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(facts_);
    connect(&context_.document, &Document::planChanged, this, &TrafficView::refresh);
    refresh();
}

void TrafficView::refresh() {
    const auto& plan = context_.document.plan();
    if (!plan) return;
    std::vector<Fact> facts;
    for (const AxisTraffic& traffic : plan->traffic) {
        facts.push_back({told(traffic.what), text(formatBytes(traffic.bytes)), "figure",
                         tr("Crosses the %1 axis once a step").arg(term(name(traffic.axis)))});
    }
    if (facts.empty()) facts.push_back({tr("No rank sends anything to another"), QStringLiteral("0 B")});
    facts_->setFacts(facts);
}

QString TrafficView::asTable() const { return facts_->asTable(); }

}  // namespace shardlab::ui
