// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/traffic_matrix/traffic_matrix_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/run_model.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {
constexpr int againMilliseconds = 1000;
}

TrafficMatrixView::TrafficMatrixView(const ViewContext& context, QWidget* parent)
    : View(context, parent), scan_(context.model), part_(child<ElidedComboBox>(this)),
      plot_(child<MatrixPlot>(context.model, context.selection, context.theme, this)),
      again_(
          this, [this] { count(); }, againMilliseconds) {
    setAccessibleName(tr("Traffic from rank to rank"));
    setFocusProxy(plot_);
    for (const QString& part : {tr("All traffic"), tr("Messages"), tr("Collectives")}) part_->addItem(part);
    part_->setAccessibleName(tr("Which traffic"));
    part_->setToolTip(tr("Messages between stages, or collectives, counted as a ring carries them"));
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 0);
    bar->addWidget(part_);
    bar->addStretch(1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(2);
    column->addLayout(bar);
    column->addWidget(plot_, 1);
    connect(part_, &QComboBox::currentIndexChanged, this, &TrafficMatrixView::draw);
    connect(&context_.model, &RunModel::reset, this, [this] {
        counted_.reset();
        again_.flush();
    });
    connect(&context_.model, &RunModel::appended, this, [this] {
        if (!scan_.running()) again_.request();
    });
    connect(&scan_, &EventScan::finished, this, [this] {
        counted_ = std::exchange(counting_, std::nullopt);
        draw();
    });
    count();
}

TrafficMatrix::Part TrafficMatrixView::part() const {
    return static_cast<TrafficMatrix::Part>(std::max(0, part_->currentIndex()));
}

void TrafficMatrixView::count() {
    if (context_.model.empty()) {
        scan_.stop();
        return draw();
    }
    counting_.emplace(context_.model.header());
    scan_.start([this](const Event& event) {
        if (event.lane == Lane::Comm) counting_->add(event);
    });
}

void TrafficMatrixView::flush() {
    again_.flush();
    scan_.finish();
}

void TrafficMatrixView::draw() {
    plot_->setMatrix(counted_, part());
    Q_EMIT subtitleChanged();
}

QString TrafficMatrixView::subtitle() const {
    if (!counted_ || counted_->steps() == 0) return {};
    const std::string bytes = formatBytes(counted_->total(part()) / counted_->steps());
    return context_.model.recorded().events == 0 ? tr("%1 a step, predicted").arg(QString::fromStdString(bytes))
                                                 : tr("%1 a step").arg(QString::fromStdString(bytes));
}

QString TrafficMatrixView::asTable() const {
    QString table = tr("from rank\tto rank\tmessages bytes a step\tcollectives bytes a step\tsends a step\n");
    if (!counted_ || counted_->steps() == 0) return table;
    const double steps = counted_->steps();
    for (int from = 0; from < counted_->ranks(); ++from)
        for (int to = 0; to < counted_->ranks(); ++to) {
            const auto all = counted_->cell(from, to, TrafficMatrix::Part::All);
            if (all.count == 0) continue;
            const auto bytes = [&](TrafficMatrix::Part each) {
                return QString::number(static_cast<double>(counted_->cell(from, to, each).bytes) / steps, 'f', 0);
            };
            table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                         .arg(QString::number(from), QString::number(to), bytes(TrafficMatrix::Part::Messages),
                              bytes(TrafficMatrix::Part::Collectives),
                              QString::number(static_cast<double>(all.count) / steps, 'g', 6));
        }
    return table;
}

}  // namespace shardlab::ui
