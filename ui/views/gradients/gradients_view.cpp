// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/gradients/gradients_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/overflow.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/gradients/exponents_plot.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

namespace {

QString shareText(double part, double whole) {
    if (part > 0 && part < 0.0005 * whole) return QStringLiteral("< 0.1 %");
    return percent(whole > 0 ? part / whole : 0);
}
QString count(double value) { return QString::number(value, 'f', 0); }

QString rangeName(HalfRange range) {
    switch (range) {
    case HalfRange::Vanishes: return GradientsView::tr("vanishes in fp16");
    case HalfRange::Subnormal: return GradientsView::tr("subnormal in fp16: loses digits");
    case HalfRange::Kept: return GradientsView::tr("kept");
    case HalfRange::Infinite: return GradientsView::tr("infinite in fp16");
    }
    return {};
}

}  // namespace

GradientsView::GradientsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), plot_(child<ExponentsPlot>(context.theme, this)), table_(child<QTableWidget>(0, 4, this)),
      stack_(child<QStackedWidget>(this)),
      legend_(child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 2, this)), note_(child<QLabel>(this)),
      step_(child<QLabel>(this)), before_(child<QToolButton>(this)), after_(child<QToolButton>(this)),
      logarithmic_(child<QPushButton>(tr("Log"), this)), asRows_(child<QPushButton>(tr("Table"), this)),
      refresh_(
          this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Gradients by exponent"));
    before_->setText(QStringLiteral("◀"));
    before_->setToolTip(tr("Show the previous step with recorded gradients"));
    after_->setText(QStringLiteral("▶"));
    after_->setToolTip(tr("Show the next step with recorded gradients"));
    for (QToolButton* button : {before_, after_}) {
        button->setProperty("role", QStringLiteral("flat"));
        button->setAccessibleName(button->toolTip());
    }
    step_->setProperty("role", QStringLiteral("dim"));
    logarithmic_->setToolTip(tr("Draw logarithmic heights, so that small numbers of gradients show beside large ones"));
    asRows_->setToolTip(tr("Show the same as a table"));
    for (QPushButton* button : {logarithmic_, asRows_}) {
        button->setCheckable(true);
        button->setProperty("role", QStringLiteral("flat"));
    }
    table_->setHorizontalHeaderLabels({tr("|gradient|"), tr("gradients"), tr("share"), tr("in fp16")});
    table_->setAccessibleName(tr("Gradients by exponent"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    note_->setProperty("role", QStringLiteral("small"));
    note_->setWordWrap(true);

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(6, 4, 10, 0);
    bar->setSpacing(4);
    bar->addWidget(before_);
    bar->addWidget(step_);
    bar->addWidget(after_);
    bar->addStretch(1);
    bar->addWidget(logarithmic_);
    bar->addWidget(asRows_);
    auto* foot = child<QVBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 4);
    foot->setSpacing(0);
    foot->addWidget(legend_);
    foot->addWidget(note_);
    stack_->addWidget(plot_);
    stack_->addWidget(table_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(stack_, 1);
    column->addLayout(foot);
    setFocusProxy(plot_);

    connect(before_, &QToolButton::clicked, this, [this] { walk(-1); });
    connect(after_, &QToolButton::clicked, this, [this] { walk(1); });
    connect(logarithmic_, &QPushButton::toggled, plot_, &ExponentsPlot::setLogarithmic);
    connect(asRows_, &QPushButton::toggled, this, [this](bool rows) {
        stack_->setCurrentWidget(rows ? static_cast<QWidget*>(table_) : plot_);
        logarithmic_->setEnabled(!rows);
        setFocusProxy(stack_->currentWidget());
    });
    connect(plot_, &ExponentsPlot::markedChanged, this, [this] {
        const QString marked = plot_->markedText();
        note_->setText(marked.isEmpty() ? outside() : marked);
    });
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged, &Selection::rankChanged);
    refresh_.follow(context_.theme, &ThemeSource::changed);
    refresh_.flush();
}

void GradientsView::refresh() {
    const RunModel& model = context_.model;
    const int step = context_.stepAtCursor(), rank = context_.selectedRank();
    counts_ = exponentsAt(model, step, rank);
    plot_->setCounts(counts_);
    const std::vector<int> steps = recordedSteps(model);
    before_->setEnabled(!steps.empty() && counts_.step > steps.front());
    after_->setEnabled(!steps.empty() && counts_.step < steps.back());
    step_->setText(counts_.step < 0 ? QString() : tr("step %1").arg(counts_.step));

    const Theme& theme = context_.theme.theme();
    const HalfFit fit = halfFit(counts_);
    const double all = counts_.all();
    legend_->setItems(
        {{tr("kept %1").arg(shareText(fit.kept, all)), colourOf(HalfRange::Kept, theme)},
         {tr("subnormal %1").arg(shareText(fit.subnormal, all)), colourOf(HalfRange::Subnormal, theme)},
         {tr("beyond fp16 %1").arg(shareText(fit.vanish + fit.infinite, all)), colourOf(HalfRange::Vanishes, theme)}});
    legend_->setToolTip(
        tr("Shares of the step's gradients, multiplied by the loss scale: %1 are kept, %2 are subnormal in fp16 (2⁻²⁴ "
           "to 2⁻¹⁴, digits are lost), %3 vanish (below 2⁻²⁴), %4 become infinite (from 2¹⁶ on).")
            .arg(shareText(fit.kept, all), shareText(fit.subnormal, all), shareText(fit.vanish, all),
                 shareText(fit.infinite, all)));
    fillTable();
    Q_EMIT subtitleChanged();
}

void GradientsView::fillTable() {
    int rows = 0;
    const auto row = [&](const QString& what, double number, const QString& fate) {
        if (table_->rowCount() <= rows) table_->insertRow(rows);
        const QString cells[]{what, count(number), shareText(number, counts_.all()), fate};
        for (int column = 0; column < 4; ++column) {
            auto* item = table_->item(rows, column);
            if (!item) table_->setItem(rows, column, item = child<QTableWidgetItem>());
            item->setText(cells[column]);
            if (column == 1 || column == 2) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
        ++rows;
    };
    if (counts_.step >= 0) {
        row(tr("0"), counts_.zeros, tr("0"));
        for (int exponent = firstExponent; exponent < firstExponent + exponentBins; ++exponent)
            if (const double number = counts_.within(exponent, exponent); number > 0)
                row(tr("%1 to %2").arg(powerOfTwo(exponent), powerOfTwo(exponent + 1)), number,
                    rangeName(halfRange(exponent)));
        row(tr("not finite"), counts_.notFinite, tr("not finite"));
    }
    table_->setRowCount(rows);
}

void GradientsView::walk(int direction) {
    const std::vector<int> steps = recordedSteps(context_.model);
    const auto here = std::lower_bound(steps.begin(), steps.end(), counts_.step);
    const auto next = (here - steps.begin()) + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(steps.size())) return;
    context_.selection.setFollowLive(false);
    context_.selection.goTo(exponentsAt(context_.model, steps[static_cast<std::size_t>(next)], -1).begin);
}

QString GradientsView::outside() const {
    if (counts_.step < 0) return {};
    const auto told = [&](double number) {
        return number > 0 ? QStringLiteral("%1 (%2)").arg(QString::fromStdString(formatCount(number)),
                                                          shareText(number, counts_.all()))
                          : tr("none");
    };
    return tr("zeros: %1 · not finite: %2").arg(told(counts_.zeros), told(counts_.notFinite));
}

QString GradientsView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!context_.model.points().of(EventKind::GradientExponents).empty()) return {};
    if (QString text = notInForeign(tr("The trace does not record gradients.")); !text.isEmpty()) return text;
    const PrecisionSpec& precision = context_.model.header().layout.precision;
    if (!scalesLoss(context_.model) && precision.compute != NumberFormat::Fp16)
        return tr("Gradients are recorded only in fp16 and where the loss is scaled.\nSet Compute or Loss scale in "
                  "Design, and run.");
    return context_.model.report().end()
               ? tr("This run ended before gradients were counted.")
               : tr("The bars appear with the first step, and change with every tenth step after it.");
}

QString GradientsView::subtitle() const {
    if (counts_.step < 0) return {};
    const int rank = context_.selection.rank();
    return tr("times the loss scale · %1")
        .arg(rank < 0 || rank >= context_.model.ranks() ? tr("all ranks") : tr("rank %1").arg(rank));
}

QString GradientsView::asTable() const {
    QString text = tr("step\tsmallest\tgradients\tshare %\tin fp16\n");
    if (counts_.step < 0) return text;
    const auto row = [&](const QString& from, double number, const QString& fate) {
        text += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                    .arg(QString::number(counts_.step), from, count(number),
                         QString::number(100 * number / counts_.all(), 'g', 6), fate);
    };
    row(QStringLiteral("0"), counts_.zeros, QStringLiteral("0"));
    for (int exponent = firstExponent; exponent < firstExponent + exponentBins; ++exponent)
        if (const double number = counts_.within(exponent, exponent); number > 0)
            row(QStringLiteral("2^%1").arg(exponent), number, rangeName(halfRange(exponent)));
    row(tr("not finite"), counts_.notFinite, tr("not finite"));
    return text;
}

}  // namespace shardlab::ui
