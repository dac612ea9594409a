// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/sliders/sliders_view.h"

#include "engine/base/units.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/place_slider.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/unbroken.h"

#include <QGridLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr std::array axes{SweepAxis::Microbatches, SweepAxis::Pipeline, SweepAxis::Chunks};

}  // namespace

SlidersView::SlidersView(const ViewContext& context, QWidget* parent)
    : View(context, parent), figures_(child<QLabel>(this)) {
    setAccessibleName(tr("Sliders"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    auto* grid = child<QGridLayout>();
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(4);
    column->addLayout(grid);
    grid->setColumnStretch(1, 1);
    grid->setColumnMinimumWidth(2, 30);
    addRow(SweepAxis::Microbatches, tr("Microbatches"), QStringLiteral("m"),
           tr("With more microbatches each is smaller, since the global batch stays the same."));
    addRow(SweepAxis::Pipeline, tr("Pipeline"), QStringLiteral("p"),
           tr("The number of ranks that the layers of a replica are spread over; they are taken from the data axis and "
              "given back to it."));
    addRow(SweepAxis::Chunks, tr("Chunks"), QStringLiteral("v"),
           tr("The number of stages that each pipeline rank holds."));
    figures_->setProperty("role", "figure");
    figures_->setWordWrap(true);
    figures_->setToolTip(tr("The prediction for these values"));
    column->addWidget(figures_);
    column->addStretch(1);
    connect(&context_.document, &Document::layoutChanged, this, &SlidersView::refresh);
    connect(&context_.document, &Document::planChanged, this, &SlidersView::refreshFigures);
    refresh();
    refreshFigures();
}

QSize SlidersView::minimumSizeHint() const {
    return {View::minimumSizeHint().width(), layout()->minimumHeightForWidth(width())};
}

void SlidersView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) updateGeometry();
}

void SlidersView::addRow(SweepAxis axis, const QString& name, const QString& symbol, const QString& help) {
    const auto index = static_cast<int>(axis);
    auto* label = child<QLabel>(QStringLiteral("%1 <i>%2</i>").arg(name, symbol), this);
    label->setTextFormat(Qt::RichText);
    setRole(*label, "dim");
    label->setToolTip(help);
    auto* slider = child<PlaceSlider>(this);
    slider->setPageStep(1);
    slider->setAccessibleName(name);
    slider->setMinimumWidth(60);
    auto* value = child<QLabel>(this);
    setRole(*value, "figure");
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto& grid = static_cast<QGridLayout&>(*layout()->itemAt(0)->layout());
    grid.addWidget(label, index, 0);
    grid.addWidget(slider, index, 1);
    grid.addWidget(value, index, 2);
    row(axis) = {slider, value, {}};
    names_[static_cast<std::size_t>(axis)] = name;
    slider->setProperty("help", help);
    connect(slider, &QSlider::sliderPressed, this, [this] { ++drag_; });
    connect(slider, &QSlider::sliderReleased, this, &SlidersView::refresh);
    connect(slider, &QSlider::valueChanged, this, [this, axis](int position) { moved(axis, position); });
}

void SlidersView::moved(SweepAxis axis, int position) {
    const Row& moved = row(axis);
    if (position < 0 || position >= static_cast<int>(moved.settings.size())) return;
    const Setting setting = moved.settings[static_cast<std::size_t>(position)];
    if (!moved.slider->isSliderDown()) ++drag_;  // a key or a turn of the wheel is a step of its own
    const QString name = names_[static_cast<std::size_t>(axis)];
    Layout layout = context_.document.layout();
    apply(setting, layout);
    moved.value->setText(QString::number(setting.value));
    context_.document.change(std::move(layout), tr("Set %1 to %2").arg(name.toLower()).arg(setting.value),
                             QStringLiteral("slider %1").arg(drag_));
}

void SlidersView::refresh() {
    const Layout layout = context_.document.resolvedLayout();
    for (const SweepAxis axis : axes) {
        Row& each = row(axis);
        // What is dragged keeps its values until it is let go: they belong to the layout it started from.
        if (each.slider->isSliderDown()) continue;
        each.settings = legalSettings(layout, axis);
        const QSignalBlocker quiet(each.slider);
        const auto own = std::ranges::find(each.settings, settingOf(layout, axis));
        each.slider->setRange(0, std::max(0, static_cast<int>(each.settings.size()) - 1));
        each.slider->setValue(own == each.settings.end() ? 0 : static_cast<int>(own - each.settings.begin()));
        each.slider->setEnabled(each.settings.size() > 1);
        const int value = settingOf(layout, axis).value;
        each.value->setText(value > 0 ? QString::number(value)
                                      : QStringLiteral("–"));  // 0: a batch that is not divided
        QString help = each.slider->property("help").toString();
        if (each.settings.size() > 1) {
            QStringList values;
            for (const Setting& setting : each.settings) values += QString::number(setting.value);
            help += QLatin1Char('\n') + tr("Legal: %1.").arg(values.join(QStringLiteral(", ")));
        } else if (each.settings.empty()) {
            help += QLatin1Char('\n') + tr("No value is legal: mend the faults first.");
        } else if (const ScheduleMethod* method = findScheduleMethod(layout.schedule.kind);
                   axis == SweepAxis::Chunks && method && method->minChunks == method->maxChunks) {
            help += QLatin1Char('\n') + tr("The schedule %1 has exactly %2.")
                                            .arg(QString::fromStdString(layout.schedule.kind))
                                            .arg(method->minChunks);
        } else {
            help += QLatin1Char('\n') + tr("With this model, cluster and batch no other value is legal.");
        }
        each.slider->setToolTip(help);
        each.value->setToolTip(help);
    }
    Q_EMIT subtitleChanged();
}

void SlidersView::refreshFigures() {
    const auto& plan = context_.document.plan();
    if (!plan) return figures_->setText({});
    std::int64_t peak = 0;
    for (const RankMemory& memory : plan->memory) peak = std::max(peak, memory.peak);
    figures_->setText(unbroken(tr("bubble %1 · peak %2").arg(percent(plan->bubble), text(formatBytes(peak)))));
    setRole(*figures_, !context_.document.planIsCurrent() ? "dim" : plan->fits ? "figure" : "bad");
    Q_EMIT subtitleChanged();
}

QString SlidersView::subtitle() const {
    const bool none = std::ranges::all_of(rows_, [](const Row& each) { return each.settings.empty(); });
    return none ? tr("mend the faults first") : tr("legal values");
}

QString SlidersView::asTable() const {
    QString table = tr("what\tvalue\tlegal\n");
    const Layout& layout = context_.document.layout();
    for (const SweepAxis axis : axes) {
        QStringList values;
        for (const Setting& setting : rows_[static_cast<std::size_t>(axis)].settings)
            values += QString::number(setting.value);
        table += QStringLiteral("%1\t%2\t%3\n")
                     .arg(names_[static_cast<std::size_t>(axis)])
                     .arg(settingOf(layout, axis).value)
                     .arg(values.join(QLatin1Char(' ')));
    }
    return table;
}

}  // namespace shardlab::ui
