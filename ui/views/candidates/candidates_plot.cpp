// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_plot.h"

#include "ui/core/child.h"
#include "ui/core/nearest_point.h"
#include "ui/core/plot_style.h"
#include "ui/core/qcustomplot.h"
#include "ui/core/theme.h"

#include "engine/base/units.h"

#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int nearPixels = 14;
constexpr double wideRatio = 16;  ///< of largest to least memory: from here the axis is logarithmic
constexpr double pointSize = 5;
constexpr double ringSize = 11;
constexpr int limitMargin = 18;  ///< above the points, for the limit in words
constexpr int tickPixels = 34;
constexpr int labelPixels = 90;  ///< of a size in words and the room beside it

/// Ticks at round binary sizes or round SI counts, as the rest of the desktop writes them.
template <class Format>
class UnitTicker : public QCPAxisTicker {
public:
    UnitTicker(double unit, Format format, int count) : unit_(unit), format_(format) { setTickCount(count); }

protected:
    double getTickStep(const QCPRange& range) override {
        return unit_ * cleanMantissa(range.size() / unit_ / (tickCount() + 1e-10));
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return format_(tick); }

private:
    double unit_;
    Format format_;
};

/// Powers of two: as many as fit.
class DoublingTicker : public QCPAxisTicker {
public:
    explicit DoublingTicker(int count) { setTickCount(count); }

protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        if (!(range.upper > 0)) return {};
        const double lower = std::max(range.lower, range.upper * std::exp2(-60));  // a logarithm has no zero
        const int first = static_cast<int>(std::ceil(std::log2(lower))),
                  last = static_cast<int>(std::floor(std::log2(range.upper)));
        const int stride = std::max(1, (last - first + tickCount()) / tickCount());
        QVector<double> ticks;
        for (int power = first; power <= last; power += stride) ticks.append(std::exp2(power));
        return ticks;
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return QString::fromStdString(formatBytes(std::llround(tick)));
    }
};

QString bytesText(double bytes) { return QString::fromStdString(formatBytes(std::llround(bytes))); }
QString countText(double count) { return QString::fromStdString(formatCount(count)); }

/// The largest binary unit not above `bytes`, so that ticks are whole numbers of it.
double binaryUnit(double bytes) { return std::exp2(10 * std::floor(std::log2(std::max(bytes, 1.0)) / 10)); }

}  // namespace

struct CandidatesPlot::Plot {
    QCustomPlot* widget;
    QCPGraph* front;
    QCPGraph* tooLarge;
    QCPGraph* fitting;
    QCPGraph* loaded;
    QCPGraph* looked;
    QCPItemStraightLine* limit;
    QCPItemText* limitText;
    QCPItemRect* band;
};

CandidatesPlot::CandidatesPlot(const SearchSession& search, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), search_(search), theme_(theme) {
    auto* plot = child<QCustomPlot>(this);
    plot->setMinimumSize(120, 60);
    plot->setAccessibleName(tr("Throughput against memory"));
    plot->setMouseTracking(true);
    plot->installEventFilter(this);
    plot_ = std::make_unique<Plot>();
    plot_->widget = plot;
    for (QCPGraph** graph : {&plot_->front, &plot_->tooLarge, &plot_->fitting, &plot_->loaded, &plot_->looked}) {
        *graph = plot->addGraph();
        (*graph)->setLineStyle(QCPGraph::lsNone);
    }
    plot_->front->setLineStyle(QCPGraph::lsLine);
    plot_->band = child<QCPItemRect>(plot);
    plot_->band->setLayer(QStringLiteral("grid"));
    plot_->band->setPen(Qt::NoPen);
    plot_->band->setVisible(false);
    for (QCPItemPosition* corner : {plot_->band->topLeft, plot_->band->bottomRight}) {
        corner->setTypeX(QCPItemPosition::ptAxisRectRatio);
        corner->setTypeY(QCPItemPosition::ptPlotCoords);
    }
    plot_->limit = child<QCPItemStraightLine>(plot);
    plot_->limitText = child<QCPItemText>(plot);
    plot_->limitText->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    plot_->limitText->setClipToAxisRect(false);
    plot->axisRect()->setMinimumMargins(QMargins(0, limitMargin, 8, 0));
    plot->xAxis->setLabel(tr("peak memory of a rank"));
    plot->yAxis->setLabel(search_.throughputUnit());
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

CandidatesPlot::~CandidatesPlot() = default;

void CandidatesPlot::applyTheme() {
    const Theme& theme = theme_.theme();
    QCustomPlot* plot = plot_->widget;
    applyPlotStyle(*plot, theme);
    const auto disc = [](QColor colour) {
        colour.setAlpha(190);
        return QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 1), QBrush(colour), pointSize);
    };
    const auto ring = [](const QColor& colour) {
        return QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 2), QBrush(Qt::NoBrush), ringSize);
    };
    QColor line = search_.stale() ? theme.dim : theme.action(EventKind::Forward);
    line.setAlpha(120);
    plot_->front->setPen(QPen(line, 1.2));
    stale_ = search_.stale();
    plot_->fitting->setScatterStyle(disc(stale_ ? theme.dim : theme.action(EventKind::Forward)));
    plot_->tooLarge->setScatterStyle(disc(stale_ ? theme.dim : theme.bad));
    plot_->loaded->setScatterStyle(ring(theme.text));
    plot_->looked->setScatterStyle(ring(theme.warning));
    QColor band = theme.good;
    band.setAlpha(40);
    plot_->band->setBrush(band);
    plot_->limit->setPen(QPen(theme.bad, 1.4, Qt::DashLine));
    plot_->limitText->setColor(theme.bad);
    plot_->limitText->setFont(plot->xAxis->labelFont());
}

void CandidatesPlot::setRanges() {
    const auto& all = search_.candidates();
    if (all.empty()) return;
    plot_->widget->yAxis->setLabel(search_.throughputUnit());
    const auto [least, most] = std::ranges::minmax(all, {}, &Candidate::peakBytes);
    const auto [slowest, fastest] = std::ranges::minmax(all, {}, &Candidate::tokensPerSecond);
    double low = static_cast<double>(least.peakBytes), high = static_cast<double>(most.peakBytes);
    // The limit belongs into the picture where it is near.
    const double usable = static_cast<double>(search_.progress().device.usableBytes());
    if (usable > 0 && usable < 4 * high) high = std::max(high, usable * 1.02);
    if (usable > 0 && usable > low / 4) low = std::min(low, usable);
    QCPAxis* x = plot_->widget->xAxis;
    const int labels = std::clamp(width() / labelPixels, 1, 6);
    if (high > wideRatio * low) {
        x->setScaleType(QCPAxis::stLogarithmic);
        x->setTicker(QSharedPointer<DoublingTicker>::create(labels));
        const double margin = std::pow(high / low, 0.05);
        x->setRange(low / margin, high * margin);
    } else {
        x->setScaleType(QCPAxis::stLinear);
        x->setTicker(QSharedPointer<UnitTicker<QString (*)(double)>>::create(binaryUnit(high), &bytesText, labels));
        const double margin = std::max((high - low) * 0.06, high * 0.02);
        x->setRange(std::max(0.0, low - margin), high + margin);
    }
    QCPAxis* y = plot_->widget->yAxis;
    // With one the only label would be the origin's.
    const int ticks = std::clamp((height() - 2 * tickPixels) / tickPixels, 2, 5);
    y->setTicker(QSharedPointer<UnitTicker<QString (*)(double)>>::create(1.0, &countText, ticks));
    const double margin =
        std::max((fastest.tokensPerSecond - slowest.tokensPerSecond) * 0.1, fastest.tokensPerSecond * 0.02);
    y->setRange(std::max(0.0, slowest.tokensPerSecond - margin), fastest.tokensPerSecond + margin);
}

void CandidatesPlot::refresh() {
    if (stale_ != search_.stale()) applyTheme();
    near_ = -1;
    for (QCPGraph* graph : {plot_->front, plot_->tooLarge, plot_->fitting}) graph->data()->clear();
    for (const Candidate& candidate : search_.candidates()) {
        const auto x = static_cast<double>(candidate.peakBytes);
        (candidate.fits ? plot_->fitting : plot_->tooLarge)->addData(x, candidate.tokensPerSecond);
        if (candidate.front) plot_->front->addData(x, candidate.tokensPerSecond);
    }
    setRanges();
    drawBand();
    const auto usable = static_cast<double>(search_.progress().device.usableBytes());
    const bool shown = usable > 0 && plot_->widget->xAxis->range().contains(usable);
    plot_->limit->setVisible(shown);
    plot_->limitText->setVisible(shown);
    if (shown) {
        const QCPRange& y = plot_->widget->yAxis->range();
        plot_->limit->point1->setCoords(usable, y.lower);
        plot_->limit->point2->setCoords(usable, y.upper);
        plot_->limitText->position->setTypeX(QCPItemPosition::ptPlotCoords);
        plot_->limitText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        plot_->limitText->position->setCoords(usable, 0);
        plot_->limitText->setText(tr("usable %1 ").arg(bytesText(usable)));
    }
    mark(looked_, search_.loaded());
}

void CandidatesPlot::setBand(double within) {
    band_ = within;
    drawBand();
    plot_->widget->replot(QCustomPlot::rpQueuedReplot);
}

void CandidatesPlot::drawBand() {
    const auto& all = search_.candidates();
    plot_->band->setVisible(band_ > 0 && !all.empty() && !stale_);
    if (all.empty()) return;
    const double fastest = all.front().tokensPerSecond;
    plot_->band->topLeft->setCoords(0, fastest);
    plot_->band->bottomRight->setCoords(1, fastest / (1 + band_));
}

void CandidatesPlot::mark(int looked, int loaded) {
    looked_ = looked;
    const auto& all = search_.candidates();
    for (const auto& [graph, row] : {std::pair(plot_->looked, looked), {plot_->loaded, loaded}}) {
        graph->data()->clear();
        if (row < 0 || row >= static_cast<int>(all.size())) continue;
        const Candidate& candidate = all[static_cast<std::size_t>(row)];
        graph->addData(static_cast<double>(candidate.peakBytes), candidate.tokensPerSecond);
    }
    plot_->widget->replot(QCustomPlot::rpQueuedReplot);
}

QPoint CandidatesPlot::pointOf(int row) const {
    const Candidate& candidate = search_.candidates()[static_cast<std::size_t>(row)];
    const QPointF at(plot_->widget->xAxis->coordToPixel(static_cast<double>(candidate.peakBytes)),
                     plot_->widget->yAxis->coordToPixel(candidate.tokensPerSecond));
    return plot_->widget->mapTo(this, at.toPoint());
}

int CandidatesPlot::rowAt(const QPoint& point) const {
    return nearestPoint(static_cast<int>(search_.candidates().size()), point, nearPixels,
                        [this](int row) { return std::optional(pointOf(row)); });
}

void CandidatesPlot::pointAt(int row) {
    plot_->widget->setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (near_ == row) return;
    near_ = row;
    Q_EMIT looked(row);
}

bool CandidatesPlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::Resize) setRanges();
    if (event->type() == QEvent::Leave) pointAt(-1);
    const bool press = event->type() == QEvent::MouseButtonPress, twice = event->type() == QEvent::MouseButtonDblClick;
    if (!press && !twice && event->type() != QEvent::MouseMove) return false;
    const auto& mouse = *static_cast<QMouseEvent*>(event);
    const int row = rowAt(plot_->widget->mapTo(this, mouse.position().toPoint()));
    pointAt(row);
    if (row < 0 || mouse.button() != Qt::LeftButton) return false;
    if (press) Q_EMIT picked(row);
    if (twice) Q_EMIT taken(row);
    return false;
}

}  // namespace shardlab::ui
