// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/kernels/kernels_view.h"

#include "engine/base/units.h"
#include "engine/predict/plan/profile_store.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/legend.h"
#include "ui/core/theme.h"
#include "ui/views/kernels/kernel_bars.h"
#include "ui/core/text.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

/// The account of the layout at full speed, since a profile is never paced.
KernelAccount accountOf(const Document& document) {
    Layout layout = document.resolvedLayout();
    layout.cluster.pace.reset();
    const Measurements& measurements = document.measurements();
    const Profile* profile = fittingProfile(measurements.profiles, layout, measurements.machine);
    return profile ? profile->kernels : KernelAccount{};
}

}  // namespace

KernelsView::KernelsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), bars_(child<KernelBars>(context.theme, this)),
      legend_(child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 2, this)) {
    setAccessibleName(tr("Kernels"));
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidget(bars_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 6);
    column->setSpacing(2);
    column->addWidget(scroll, 1);
    auto* foot = child<QHBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 0);
    foot->addWidget(legend_, 1);
    column->addLayout(foot);
    connect(&context_.document, &Document::planChanged, this, &KernelsView::refresh);
    connect(&context_.theme, &ThemeSource::changed, this, &KernelsView::nameColours);
    nameColours();
    refresh();
}

void KernelsView::nameColours() {
    const Theme& theme = context_.theme.theme();
    legend_->setItems({{tr("limit: arithmetic"), theme.action(EventKind::Forward)},
                       {tr("limit: memory"), theme.action(EventKind::WeightGrad)},
                       {tr("above the limit"), theme.idle, LegendItem::Mark::Hatched}});
}

void KernelsView::refresh() {
    account_ = accountOf(context_.document);
    if (!account_.kernels.empty()) bars_->setAccount(account_);
    bars_->setAccessibleDescription(asTable());
    Q_EMIT subtitleChanged();
}

QString KernelsView::subtitle() const {
    if (account_.kernels.empty()) return {};
    return tr("one step of a rank, %1 · the machine's limits explain %2")
        .arg(text(formatSeconds(account_.seconds)), percent(explainedShare(account_)));
}

QString KernelsView::emptyText() const {
    if (!account_.kernels.empty()) return {};
    return tr("No measurement fits this layout.\nRun › Measure this machine times its layers and kernels here.");
}

QString KernelsView::asTable() const {
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    QString table = tr("kernel\tcalls\tseconds\tFLOP\tbytes\tleast seconds\n");
    for (const KernelProfile& kernel : account_.kernels)
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\n")
                     .arg(text(kernel.name), number(kernel.calls), number(kernel.seconds), number(kernel.flops),
                          number(kernel.bytes), number(leastSeconds(kernel, account_)));
    return table + QStringLiteral("%1\t\t%2\t\t\t\n").arg(tr("between kernels"), number(betweenKernels(account_)));
}

}  // namespace shardlab::ui
