// SPDX-License-Identifier: GPL-3.0-or-later
// What replicas that do not average their gradients are apart: how late each update of an asynchronous server came, in
// how many elements each update without a lock overwrote another's, or how far the replica that exchanged was from the
// centre.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardlab::ui {

class ExchangeView : public View {
    Q_OBJECT
public:
    ExchangeView(const ViewContext& context, QWidget* parent);
    ~ExchangeView() override;
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    /// What is told of the point drawn nearest to a pixel of the canvas; empty where there is none.
    QString valueAt(int x) const;
    QWidget* canvas() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void applyTheme();
    EventKind shown() const;
    bool manyAStep() const { return shown() != EventKind::ElasticDistance; }
    /// Step after step, though workers at their own pace are in different ones at one time.
    std::vector<Event> events() const;
    /// The place of a point on the axis of steps: updates of one step follow each other.
    static double placeOf(const std::vector<Event>& all, std::size_t index);
    std::optional<Event> drawnAt(double x) const;
    QString textOf(const Event& event) const;
    QString averageLateness() const;

    struct Plot;
    std::unique_ptr<Plot> plot_;
    Throttle refresh_;
    bool wasEmpty_ = true;
};

}  // namespace shardlab::ui
