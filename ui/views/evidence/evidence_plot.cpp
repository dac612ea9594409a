// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/evidence/evidence_plot.h"

#include "ui/core/child.h"
#include "ui/core/nearest_point.h"
#include "ui/core/plot_style.h"
#include "ui/core/qcustomplot.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QMouseEvent>
#include <QVBoxLayout>

#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int nearPixels = 10;
constexpr double pointSize = 5;
constexpr double ringSize = 11;
constexpr double rangeMargin = 1.25;  ///< factor beyond the outermost points
constexpr int tickPixels = 70;
constexpr int lowPixels = 110;  ///< of height: below it the points need what names of axes take

/// Powers of a base, as many as fit, in words.
class PowerTicker : public QCPAxisTicker {
public:
    PowerTicker(const EvidenceModel& model, double base, int count) : model_(model), base_(base) {
        setTickCount(count);
    }

protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        const auto power = [&](double value) { return std::log(value) / std::log(base_); };
        const int first = static_cast<int>(std::ceil(power(range.lower) - 1e-9)),
                  last = static_cast<int>(std::floor(power(range.upper) + 1e-9));
        const int stride = std::max(1, (last - first + tickCount()) / tickCount());
        QVector<double> ticks;
        for (int each = first; each <= last; each += stride) ticks.append(std::pow(base_, each));
        return ticks;
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return model_.figureText(tick); }

private:
    const EvidenceModel& model_;
    double base_;
};

}  // namespace

struct EvidencePlot::Plot {
    QCustomPlot* widget;
    QCPGraph* lower;
    QCPGraph* upper;
    QCPGraph* equal;
    QCPGraph* others;  ///< runs that do not count
    QCPGraph* runs;
    QCPGraph* marked;
};

EvidencePlot::EvidencePlot(const EvidenceModel& model, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), model_(model), theme_(theme) {
    auto* plot = child<QCustomPlot>(this);
    plot->setMinimumSize(120, 60);
    plot->setAccessibleName(tr("Predicted against published"));
    plot->setMouseTracking(true);
    plot->installEventFilter(this);
    plot_ = std::make_unique<Plot>();
    plot_->widget = plot;
    for (QCPGraph** graph :
         {&plot_->lower, &plot_->upper, &plot_->equal, &plot_->others, &plot_->runs, &plot_->marked}) {
        *graph = plot->addGraph();
        (*graph)->setLineStyle(QCPGraph::lsNone);
    }
    for (QCPGraph* line : {plot_->lower, plot_->upper, plot_->equal}) line->setLineStyle(QCPGraph::lsLine);
    plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
    plot->yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot->xAxis->setLabel(tr("published"));
    plot->yAxis->setLabel(tr("predicted"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 4, 2);
    column->addWidget(plot);
    connect(&theme_, &ThemeSource::changed, this, [this] {
        applyTheme();
        refresh();
    });
    applyTheme();
    refresh();
}

EvidencePlot::~EvidencePlot() = default;

void EvidencePlot::applyTheme() {
    const Theme& theme = theme_.theme();
    applyPlotStyle(*plot_->widget, theme);
    plot_->widget->xAxis->grid()->setVisible(true);
    const auto disc = [](QColor colour) {
        colour.setAlpha(170);
        return QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 1), QBrush(colour), pointSize);
    };
    plot_->runs->setScatterStyle(disc(theme.action(EventKind::Forward)));
    plot_->others->setScatterStyle(disc(theme.dim));
    plot_->marked->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.warning, 2), QBrush(Qt::NoBrush), ringSize));
    plot_->equal->setPen(QPen(theme.text, 1));
    QColor band = theme.good;
    plot_->lower->setPen(QPen(band, 1.2, Qt::DashLine));
    plot_->upper->setPen(QPen(band, 1.2, Qt::DashLine));
    band.setAlpha(28);
    plot_->lower->setBrush(band);
    plot_->lower->setChannelFillGraph(plot_->upper);
}

void EvidencePlot::setRanges() {
    double least = INFINITY, most = 0;
    for (int row = 0; row < model_.rowCount(); ++row)
        if (const auto point = model_.point(row)) {
            least = std::min({least, point->x(), point->y()});
            most = std::max({most, point->x(), point->y()});
        }
    if (most <= 0) return;
    const QCPRange range(least / rangeMargin, most * rangeMargin);
    const double base = model_.figure() == EvidenceFigure::Step ? 10 : 2;
    const auto ticker = [&](int pixels) {
        return QSharedPointer<PowerTicker>::create(model_, base, std::clamp(pixels / tickPixels, 2, 8));
    };
    plot_->widget->xAxis->setTicker(ticker(width()));
    plot_->widget->yAxis->setTicker(ticker(2 * height()));
    plot_->widget->xAxis->setRange(range);
    plot_->widget->yAxis->setRange(range);
}

void EvidencePlot::drawBand() {
    const QCPRange range = plot_->widget->xAxis->range();
    const ErrorSummary& errors = model_.summary();
    const auto draw = [&](QCPGraph* line, double factor, bool shown) {
        line->data()->clear();
        if (!shown) return;
        for (const double x : {range.lower, range.upper}) line->addData(x, x * factor);
    };
    draw(plot_->equal, 1, errors.rows > 0);
    draw(plot_->upper, 1 + errors.ninetieth, errors.rows > 0);
    draw(plot_->lower, 1 - errors.ninetieth, errors.rows > 0 && errors.ninetieth < 1);
}

void EvidencePlot::refresh() {
    near_ = -1;
    plot_->runs->data()->clear();
    plot_->others->data()->clear();
    for (int row = 0; row < model_.rowCount(); ++row)
        if (const auto point = model_.point(row))
            (model_.at(row).counts() ? plot_->runs : plot_->others)->addData(point->x(), point->y());
    setRanges();
    drawBand();
    mark(-1);
}

void EvidencePlot::mark(int row) {
    marked_ = row;
    plot_->marked->data()->clear();
    if (row >= 0 && row < model_.rowCount())
        if (const auto point = model_.point(row)) plot_->marked->addData(point->x(), point->y());
    plot_->widget->replot(QCustomPlot::rpQueuedReplot);
}

QPoint EvidencePlot::pointOf(int row) const {
    const QPointF point = model_.point(row).value();
    const QPointF at(plot_->widget->xAxis->coordToPixel(point.x()), plot_->widget->yAxis->coordToPixel(point.y()));
    return plot_->widget->mapTo(this, at.toPoint());
}

int EvidencePlot::rowAt(const QPoint& place) const {
    return nearestPoint(model_.rowCount(), place, nearPixels,
                        [this](int row) { return model_.point(row) ? std::optional(pointOf(row)) : std::nullopt; });
}

void EvidencePlot::pointAt(int row) {
    plot_->widget->setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (near_ == row) return;
    near_ = row;
    Q_EMIT looked(row);
}

bool EvidencePlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::Resize) {
        // The axes' names are in the table's head too.
        const bool low = height() < lowPixels;
        plot_->widget->xAxis->setLabel(low ? QString() : tr("published"));
        plot_->widget->yAxis->setLabel(low ? QString() : tr("predicted"));
        setRanges();
    }
    if (event->type() == QEvent::Leave) pointAt(-1);
    const bool press = event->type() == QEvent::MouseButtonPress;
    if (!press && event->type() != QEvent::MouseMove) return false;
    const auto& mouse = *static_cast<QMouseEvent*>(event);
    const int row = rowAt(plot_->widget->mapTo(this, mouse.position().toPoint()));
    pointAt(row);
    if (press && row >= 0 && mouse.button() == Qt::LeftButton) Q_EMIT taken(row);
    return false;
}

}  // namespace shardlab::ui
