// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/waterfall/waterfall_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/text.h"
#include "ui/core/ui_thread.h"
#include "ui/views/waterfall/waterfall_bars.h"
#include "ui/core/words.h"

#include <QPointer>
#include <QScrollArea>
#include <QThreadPool>
#include <QVBoxLayout>

namespace shardlab::ui {

WaterfallView::WaterfallView(const ViewContext& context, QWidget* parent)
    : View(context, parent), bars_(child<WaterfallBars>(context.theme, this)) {
    setAccessibleName(tr("Waterfall"));
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidget(bars_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->addWidget(scroll, 1);
    connect(&context_.document, &Document::planChanged, this, &WaterfallView::refresh);
    refresh();
}

void WaterfallView::refresh() {
    if (context_.document.planIsCurrent()) start();
}

void WaterfallView::start() {
    const auto& plan = context_.document.plan();
    stale_ = plan && working_;
    if (!plan || working_) return;
    working_ = true;
    QThreadPool::globalInstance()->start([view = QPointer(this), plan = *plan] {
        const Waterfall fall = waterfall(plan);
        onUserInterface([view, fall] {
            if (view) view->take(fall);
        });
    });
}

void WaterfallView::take(const Waterfall& fall) {
    working_ = false;
    fall_ = fall;
    bars_->setFall(fall);
    setAccessibleDescription(asTable());
    Q_EMIT subtitleChanged();
    if (stale_) start();  // with the last legal plan, whatever has become of the layout meanwhile
}

QString WaterfallView::subtitle() const {
    if (!fall_) return {};
    return tr("one step, %1 · %2 at peak")
        .arg(text(formatSeconds(fall_->stepSeconds)), percent(fall_->share(WaterfallPart::Peak)));
}

QString WaterfallView::emptyText() const {
    return context_.document.plan() ? QString() : tr("A legal layout shows here where the time of its step goes.");
}

QString WaterfallView::asTable() const {
    QString table = tr("part\tseconds\tof the step\twhat it is\n");
    if (!fall_) return table + tr("none yet\t\t\t\n");
    for (std::size_t i = 0; i < waterfallParts; ++i) {
        const auto part = static_cast<WaterfallPart>(i);
        table += QStringLiteral("%1\t%2\t%3\t%4\n")
                     .arg(term(name(part)), QString::number((*fall_)[part], 'g', 9),
                          QString::number(fall_->share(part), 'f', 4), term(meaning(part)));
    }
    return table;
}

}  // namespace shardlab::ui
