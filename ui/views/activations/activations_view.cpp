// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/activations/activations_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/overflow.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

enum Column { Layer, Operation, Formula, Bytes, columns };
/// The letters of the formulae stand below the table while they take at most one part in so many of the height.
constexpr int lettersShare = 4;
constexpr int leastOperation = 110;  ///< pixels in which operations can be told apart

/// The parts of each layer, in the order of the forward.
std::vector<std::vector<KeptPart>> byLayer(std::vector<KeptPart> parts) {
    std::vector<std::vector<KeptPart>> layers;
    for (KeptPart& part : parts) {
        if (layers.empty() || layers.back().front().layer != part.layer) layers.emplace_back();
        layers.back().push_back(std::move(part));
    }
    return layers;
}

bool alike(const std::vector<KeptPart>& one, const std::vector<KeptPart>& other) {
    return one.front().layer >= 0 && other.front().layer >= 0 &&
           std::ranges::equal(one, other, [](const KeptPart& a, const KeptPart& b) {
               return a.operation == b.operation && a.formula == b.formula && a.bytes == b.bytes;
           });
}

}  // namespace

ActivationsView::ActivationsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), table_(child<QTableWidget>(0, columns, this)), letters_(child<QLabel>(this)) {
    setAccessibleName(tr("Activations"));
    table_->setHorizontalHeaderLabels({tr("layer"), tr("operation"), tr("formula"), tr("bytes")});
    table_->setAccessibleName(tr("What is kept of a microbatch until its backward"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(Operation, QHeaderView::Stretch);
    table_->horizontalHeader()->setHighlightSections(false);
    setFocusProxy(table_);
    letters_->setProperty("role", "small");
    letters_->setWordWrap(true);
    letters_->setContentsMargins(10, 2, 10, 2);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 2, 0, 4);
    column->setSpacing(2);
    column->addWidget(table_, 1);
    column->addWidget(letters_);
    connect(&context_.document, &Document::planChanged, this, &ActivationsView::refresh);
    connect(&context_.selection, &Selection::rankChanged, this, &ActivationsView::refresh);
    refresh();
}

void ActivationsView::refresh() {
    rows_.clear();
    rank_ = -1;
    if (const auto& plan = context_.document.plan(); plan && !plan->memory.empty()) {
        const int chosen = context_.selection.rank();
        rank_ = chosen >= 0 && chosen < plan->mesh.ranks() ? chosen : neediest(plan->layout, plan->memory).rank;
        inFlight_ = plan->memory[static_cast<std::size_t>(rank_)].microbatchesInFlight;
        const TensorShare share = tensorShare(plan->layout, plan->mesh.coordinate(rank_, Axis::Tensor));
        const std::vector<StageShape> shapes = stageShapes(plan->layout);
        const auto stages = plan->lowered.stagesOf(plan->mesh.coordinate(rank_, Axis::Pipeline));
        chunks_ = static_cast<int>(stages.size());
        for (const int stage : stages) {
            const auto layers = byLayer(keptParts(plan->layout, shapes[static_cast<std::size_t>(stage)], share));
            for (std::size_t i = 0, next = 0; i < layers.size(); i = next) {
                for (next = i + 1; next < layers.size() && alike(layers[i], layers[next]);) ++next;
                for (const KeptPart& part : layers[i]) rows_.push_back({part, part.layer, static_cast<int>(next - i)});
            }
        }
        letters_->setText(told(keptLetters(plan->layout, share)));
        table_->horizontalHeaderItem(Formula)->setToolTip(letters_->text());
    }
    table_->setRowCount(static_cast<int>(rows_.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const Row& shown = rows_[static_cast<std::size_t>(row)];
        const bool first = row == 0 || rows_[static_cast<std::size_t>(row - 1)].first != shown.first;
        const auto cell = [&](int column, const QString& content) {
            auto* item = child<QTableWidgetItem>(content);
            item->setToolTip(QStringLiteral("%1 · %2: %3 = %4")
                                 .arg(layersText(shown), told(shown.part.operation), told(shown.part.formula),
                                      text(formatBytes(shown.part.bytes))));
            if (column == Bytes) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            table_->setItem(row, column, item);
        };
        cell(Layer, first ? layersText(shown) : QString());
        cell(Operation, told(shown.part.operation));
        cell(Formula, told(shown.part.formula));
        cell(Bytes, text(formatBytes(shown.part.bytes)));
    }
    makeRoom();
    Q_EMIT subtitleChanged();
}

void ActivationsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    makeRoom();
}

void ActivationsView::makeRoom() {
    letters_->setVisible(lettersShare * letters_->heightForWidth(width()) <= height());
    const QHeaderView* header = table_->horizontalHeader();
    const QAbstractItemView& cells = *table_;  // where the hints are public
    int others = 0;
    for (const Column column : {Layer, Formula, Bytes})
        others += std::max(cells.sizeHintForColumn(column), header->sectionSizeHint(column));
    // The formula also stands in the tip of its row.
    table_->setColumnHidden(Formula, table_->viewport()->width() < others + leastOperation);
}

QString ActivationsView::layersText(const Row& row) const {
    if (row.layers == 1) return layerName(row.first);
    return tr("each of layers %1–%2").arg(row.first).arg(row.first + row.layers - 1);
}

std::int64_t ActivationsView::sum() const {
    std::int64_t bytes = 0;
    for (const Row& row : rows_) bytes += row.part.bytes * row.layers;
    return bytes;
}

QString ActivationsView::subtitle() const {
    if (rows_.empty()) return {};
    const QString each = text(formatBytes(sum()));
    if (chunks_ == 1)
        return tr("rank %1 · %2 a microbatch · at most %3 kept at once").arg(rank_).arg(each).arg(inFlight_);
    return tr("rank %1 · %2 a microbatch in all %3 chunks · at most %4 chunks kept at once")
        .arg(rank_)
        .arg(each)
        .arg(chunks_)
        .arg(inFlight_);
}

QString ActivationsView::emptyText() const {
    if (!rows_.empty()) return {};
    if (const auto& plan = context_.document.plan(); plan && readsImages(plan->layout.model))
        return tr("The activations of a cnn are not listed by operation.");
    return View::emptyText();
}

QString ActivationsView::asTable() const {
    QString table = tr("layers\toperation\tformula\tbytes of each layer\tbytes of all\n");
    for (const Row& row : rows_)
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                     .arg(layersText(row), told(row.part.operation), told(row.part.formula))
                     .arg(row.part.bytes)
                     .arg(row.part.bytes * row.layers);
    return table;
}

}  // namespace shardlab::ui
