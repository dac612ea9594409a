// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scales/scales_view.h"

#include "engine/layout/fp8.h"
#include "engine/layout/words.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/legend.h"
#include "ui/core/overflow.h"
#include "ui/core/power_axis.h"
#include "ui/core/selection.h"
#include "ui/core/step_chart.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::ui {

namespace {

/// Shares at powers of ten, in percent.
class ShareTicker : public QCPAxisTickerLog {
public:
    ShareTicker() {
        setLogBase(10);
        setSubTickCount(0);
    }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return QString::number(100 * tick, 'g', 3) + QStringLiteral(" %");
    }
};

constexpr double leastShare = 1e-8;
constexpr int labelHeight = 18;  ///< pixels
constexpr int noteWidth = 330;   ///< pixels of a view that has room for the note beside the legend

QString placeText(const RoundedFactor& factor) { return text(trace::textOf(factor.place)); }

QString choiceText(const RoundedFactor& factor) {
    if (factor.all.saturated > 0)
        return ScalesView::tr("%1 · %2 saturated").arg(placeText(factor), smallShare(factor.all.saturatedShare()));
    return ScalesView::tr("%1 · %2 became 0").arg(placeText(factor), smallShare(factor.all.flushedShare()));
}

}  // namespace

struct ScalesView::Plot {
    StepChart* widget;
    QCPGraph* scale;
    QCPGraph* saturated;
    QCPGraph* flushed;
    Legend* legend;
};

ScalesView::ScalesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), choice_(child<ElidedComboBox>(this)), asRows_(child<QPushButton>(tr("Table"), this)),
      stack_(child<QStackedWidget>(this)), table_(child<QTableWidget>(0, 5, this)), note_(child<QLabel>(this)),
      refresh_(
          this, [this] { refresh(); }, 150) {
    setAccessibleName(tr("Scales of products in 8 bits"));
    auto* chart = child<StepChart>(context, this);
    plot_ = std::make_unique<Plot>(Plot{chart, chart->addGraph(), chart->addGraph(chart->xAxis, chart->yAxis2),
                                        chart->addGraph(chart->xAxis, chart->yAxis2),
                                        child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 1, this)});
    plot_->scale->setLineStyle(QCPGraph::lsStepLeft);
    chart->yAxis->setTicker(QSharedPointer<PowerTicker>::create());
    chart->yAxis2->setVisible(true);
    chart->yAxis2->setScaleType(QCPAxis::stLogarithmic);
    chart->yAxis2->setTicker(QSharedPointer<ShareTicker>::create());
    chart->setAccessibleName(accessibleName());
    chart->installEventFilter(this);
    chart->setWords([this](int x) { return valueAt(x); });
    choice_->setAccessibleName(tr("Layer and factor that is drawn"));
    choice_->setToolTip(tr("Choose the factor of a linear layer that is drawn. The worst comes first: the one of which "
                           "the largest share saturated over all steps, then the one of which most became 0."));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(8);
    asRows_->setToolTip(tr("Show all factors of this step as a table"));
    asRows_->setCheckable(true);
    asRows_->setProperty("role", QStringLiteral("flat"));
    table_->setHorizontalHeaderLabels({tr("factor"), tr("scale"), tr("saturated"), tr("became 0"), tr("most on")});
    table_->setAccessibleName(tr("Scales of all factors in this step"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    note_->setProperty("role", QStringLiteral("small"));
    note_->setMinimumWidth(0);

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 0);
    bar->addWidget(choice_, 1);
    bar->addWidget(asRows_);
    auto* foot = child<QHBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 4);
    foot->addWidget(plot_->legend, 1);
    foot->addWidget(note_);
    stack_->addWidget(chart);
    stack_->addWidget(table_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(stack_, 1);
    column->addLayout(foot);
    setFocusProxy(choice_);

    connect(choice_, &QComboBox::activated, this, &ScalesView::choose);
    connect(asRows_, &QPushButton::toggled, this, [this](bool rows) {
        stack_->setCurrentIndex(rows ? 1 : 0);
        refresh_.flush();
    });
    const auto chooseRow = [this](int row, int) {
        if (row < 0 || row >= static_cast<int>(factors_.size())) return;
        const RoundedFactor& factor = factors_[static_cast<std::size_t>(row)];
        if (const RoundedStep* step = current(factor)) select(*step);
        choose(row);
    };
    connect(table_, &QTableWidget::cellClicked, this, chooseRow);
    connect(table_, &QTableWidget::cellActivated, this, chooseRow);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        applyTheme();
        refresh_.request();
    });
    applyTheme();
    refresh_.flush();
}

ScalesView::~ScalesView() = default;

QWidget* ScalesView::canvas() const { return plot_->widget; }

void ScalesView::applyTheme() {
    const Theme& theme = context_.theme.theme();
    plot_->widget->applyTheme();
    plot_->scale->setPen(QPen(theme.action(EventKind::Fp8Scale), 1.6));
    for (const auto& [graph, colour] : {std::pair(plot_->saturated, theme.action(EventKind::Fp8Saturated)),
                                        std::pair(plot_->flushed, theme.action(EventKind::Fp8Flushed))}) {
        graph->setPen(QPen(colour, 1.2));
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(colour), QBrush(colour), 5));
    }
    plot_->legend->setItems({{tr("scale"), theme.action(EventKind::Fp8Scale), LegendItem::Mark::Line},
                             {tr("saturated"), theme.action(EventKind::Fp8Saturated), LegendItem::Mark::Dot},
                             {tr("became 0"), theme.action(EventKind::Fp8Flushed), LegendItem::Mark::Dot}});
    plot_->legend->setToolTip(tr("The scale, on the left, is the smallest that rounded the factor in a step. The dots, "
                                 "on the right, are the shares of the factor's numbers in that step, of all ranks and "
                                 "microbatches; a step without a dot has none."));
}

const RoundedFactor* ScalesView::shown() const {
    if (factors_.empty()) return nullptr;
    const auto chosen = std::ranges::find_if(factors_, [&](const RoundedFactor& f) { return chosen_ == f.place; });
    return chosen == factors_.end() ? &factors_.front() : &*chosen;
}

void ScalesView::choose(int index) {
    if (index < 0 || index >= static_cast<int>(factors_.size())) return;
    chosen_ = factors_[static_cast<std::size_t>(index)].place;
    refresh_.flush();
}

void ScalesView::fillChoice() {
    if (choice_->view()->isVisible()) return;  // somebody is choosing
    const QSignalBlocker quiet(choice_);
    const int size = static_cast<int>(factors_.size());
    while (choice_->count() > size) choice_->removeItem(choice_->count() - 1);
    for (int i = 0; i < size; ++i) {
        const QString told = choiceText(factors_[static_cast<std::size_t>(i)]);
        if (i == choice_->count()) choice_->addItem(told);
        else if (choice_->itemText(i) != told) choice_->setItemText(i, told);
    }
    if (const RoundedFactor* factor = shown()) choice_->setCurrentIndex(static_cast<int>(factor - factors_.data()));
}

void ScalesView::fillTable() {
    if (!asRows_->isChecked()) return;
    table_->setRowCount(static_cast<int>(factors_.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const RoundedFactor& factor = factors_[static_cast<std::size_t>(row)];
        const RoundedStep* step = current(factor);
        QStringList cells{placeText(factor), {}, {}, {}, {}};
        if (step)
            cells = {placeText(factor), scaleWords(step->scale), smallShare(step->saturatedShare()),
                     smallShare(step->flushedShare()), step->worst ? roundingOrigin(*step->worst) : QString()};
        for (int column = 0; column < cells.size(); ++column) {
            if (!table_->item(row, column)) table_->setItem(row, column, child<QTableWidgetItem>());
            table_->item(row, column)->setText(cells[column]);
        }
    }
}

void ScalesView::draw() {
    for (QCPGraph* graph : {plot_->scale, plot_->saturated, plot_->flushed}) graph->data()->clear();
    const RoundedFactor* factor = shown();
    if (factor) {
        constexpr double gap = std::numeric_limits<double>::quiet_NaN();
        double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest(), least = 1e-3;
        for (const RoundedStep& step : factor->steps) {
            if (step.scale > 0) {
                const double exponent = std::log2(step.scale);
                low = std::min(low, exponent);
                high = std::max(high, exponent);
                plot_->scale->addData(step.step, exponent);
            }
            const auto add = [&](QCPGraph* graph, double share) {
                graph->addData(step.step, share > 0 ? share : gap);
                if (share > 0) least = std::min(least, share);
            };
            add(plot_->saturated, step.saturatedShare());
            add(plot_->flushed, step.flushedShare());
        }
        if (low <= high) showExponents(*plot_->widget->yAxis, low, high);
        plot_->widget->yAxis2->setRange(std::max(leastShare, std::pow(10, std::floor(std::log10(least)) - 0.2)), 2);
        int last = 0;
        for (const RoundedFactor& each : factors_) last = std::max(last, each.steps.back().step);
        plot_->widget->setSteps(last);
    }
    // In a low chart labels stand further apart.
    const int labels = std::max(1, plot_->widget->axisRect()->height() / labelHeight);
    for (QCPAxis* axis : {plot_->widget->yAxis, plot_->widget->yAxis2}) axis->ticker()->setTickCount(labels);
    plot_->widget->refreshMarks();
    plot_->widget->replot();
}

void ScalesView::refresh() {
    factors_ = roundedFactors(context_.model);
    fillChoice();
    fillTable();
    draw();
    const RoundedFactor* factor = shown();
    const RoundedStep* step = factor ? current(*factor) : nullptr;
    plot_->legend->setVisible(!asRows_->isChecked());
    note_->setVisible(!asRows_->isChecked() && width() >= noteWidth);
    note_->setText(!step          ? QString()
                   : !step->worst ? tr("none saturated or became 0")
                                  : tr("most on %1").arg(roundingOrigin(*step->worst)));
    if (const bool empty = factors_.empty(); empty != wasEmpty_ || !empty) {
        wasEmpty_ = empty;
        Q_EMIT subtitleChanged();
    }
}

QString ScalesView::valueAt(int x) const {
    const RoundedFactor* factor = shown();
    const RoundedStep* step = factor ? factor->at(plot_->widget->stepAt(x)) : nullptr;
    if (!step) return {};
    QString told =
        tr("step %1 · %2 · scale %3").arg(QString::number(step->step), placeText(*factor), scaleWords(step->scale));
    told += tr("\nsaturated: %1").arg(roundedText(step->saturated, step->numbers));
    told += tr("\nbecame 0: %1").arg(roundedText(step->flushed, step->numbers));
    if (step->worst) told += tr("\nmost on %1").arg(roundingOrigin(*step->worst));
    return told;
}

void ScalesView::select(const RoundedStep& step) {
    Selection& selection = context_.selection;
    if (!step.worst) {
        if (const StepExtent* extent = context_.model.steps().extentOf(step.step)) selection.goTo(extent->end);
        return;
    }
    const Event worst = *step.worst;  // a selection may bring factors_ anew
    selection.setRank(worst.rank);
    const std::optional<Event> action = roundingAction(context_.model, worst);
    if (action) selection.select(*action);
    selection.goTo(action ? action->begin : worst.begin);
}

bool ScalesView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return View::eventFilter(watched, event);
    if (event->type() == QEvent::Resize) {
        refresh_.request();
    } else if (event->type() == QEvent::MouseButtonPress) {
        const auto& mouse = *static_cast<QMouseEvent*>(event);
        const RoundedFactor* factor = shown();
        const RoundedStep* step = factor ? factor->at(plot_->widget->stepAt(mouse.position().x())) : nullptr;
        if (step && mouse.button() == Qt::LeftButton) select(*step);
    }
    return false;
}

QString ScalesView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!factors_.empty()) return {};
    if (QString text = notInForeign(tr("The trace does not record scales of products in 8 bits.")); !text.isEmpty())
        return text;
    if (!roundsProducts(context_.model.header().layout))
        return tr("Nothing to show: this run does not round its products to 8 bits.\nSet Products to a format of "
                  "8 bits in Design, and run.");
    return context_.model.report().end() ? tr("This run ended before its first step was complete.")
                                         : tr("The scales appear with the first complete step.");
}

QString ScalesView::subtitle() const {
    const RoundedFactor* factor = shown();
    const RoundedStep* step = factor ? current(*factor) : nullptr;
    if (!step) return {};
    return tr("step %1 · scale %2 · %3 saturated · %4 became 0")
        .arg(QString::number(step->step), scaleWords(step->scale), smallShare(step->saturatedShare()),
             smallShare(step->flushedShare()));
}

QString ScalesView::asTable() const {
    QString table = tr("step\tfactor\tscale\tnumbers\tsaturated\tbecame 0\tmost on\n");
    const auto add = [&](const RoundedFactor& factor, const RoundedStep& step) {
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\n")
                     .arg(QString::number(step.step), placeText(factor), QString::number(step.scale, 'g', 8),
                          QString::number(step.numbers, 'f', 0), QString::number(step.saturated, 'f', 0),
                          QString::number(step.flushed, 'f', 0), step.worst ? roundingOrigin(*step.worst) : QString());
    };
    if (asRows_->isChecked()) {
        for (const RoundedFactor& factor : factors_)
            if (const RoundedStep* step = current(factor)) add(factor, *step);
    } else if (const RoundedFactor* factor = shown()) {
        for (const RoundedStep& step : factor->steps) add(*factor, step);
    }
    return table;
}

}  // namespace shardlab::ui
