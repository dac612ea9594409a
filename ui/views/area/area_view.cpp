// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/area/area_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/run_model.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"
#include "ui/core/words.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int againMilliseconds = 120;
constexpr int namePadding = 14;
enum Column { Name, Count, Total, Share, Mean, P95, Largest, columns };

}  // namespace

AreaView::AreaView(const ViewContext& context, QWidget* parent)
    : View(context, parent), scan_(context.model), by_(child<ElidedComboBox>(this)), note_(child<QLabel>(this)),
      table_(child<QTableWidget>(this)), again_(
                                             this, [this] { count(); }, againMilliseconds) {
    setAccessibleName(tr("Figures of the area"));
    for (const QString& by : {tr("By kind"), tr("By rank"), tr("By rank and kind")}) by_->addItem(by);
    by_->setAccessibleName(tr("Figures by"));
    by_->setToolTip(tr("Choose what the figures are summed over"));
    note_->setProperty("role", "small");
    table_->setAccessibleName(tr("Figures of the area"));
    table_->setColumnCount(columns);
    table_->setHorizontalHeaderLabels(
        {QString(), tr("count"), tr("total"), tr("share"), tr("mean"), tr("p95"), tr("largest")});
    table_->horizontalHeaderItem(Share)->setToolTip(tr("The share of the area's time on its ranks. Lanes work at the "
                                                       "same time, so shares may add up to more than 100 %"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(20);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setMinimumSectionSize(30);
    header->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 3px 4px; font-size: 11px; }"));
    header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(Name, QHeaderView::Fixed);
    table_->viewport()->installEventFilter(this);

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 0);
    bar->addWidget(by_);
    bar->addWidget(note_, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(2);
    column->addLayout(bar);
    column->addWidget(table_, 1);

    connect(by_, &QComboBox::currentIndexChanged, this, &AreaView::fill);
    connect(&context_.selection, &Selection::areaChanged, this, [this] {
        Q_EMIT subtitleChanged();
        again_.request();
    });
    connect(&context_.model, &RunModel::appended, this, [this] {
        if (context_.selection.area() && !scan_.running()) again_.request();
    });
    connect(&context_.theme, &ThemeSource::changed, this, &AreaView::fill);
    connect(&scan_, &EventScan::finished, this, [this] {
        figures_ = statistics_.figures();
        fill();
    });
    connect(table_, &QTableWidget::cellClicked, this, [this](int row) {
        const int rank = table_->item(row, 0)->data(Qt::UserRole).toInt();
        if (rank >= 0) context_.selection.setRank(rank);
    });
}

void AreaView::count() {
    figures_.clear();
    const auto& area = context_.selection.area();
    if (!area || context_.model.empty()) {
        scan_.stop();
        return fill();
    }
    statistics_.begin(*area, context_.selection.areaRanks());
    scan_.start([this](const Event& event) { statistics_.add(event); }, area->end);
}

void AreaView::flush() {
    again_.flush();
    scan_.finish();
}

void AreaView::fill() {
    const Theme& theme = context_.theme.theme();
    QFont mono = theme.mono;
    mono.setPixelSize(12);
    const int by = by_->currentIndex();
    std::vector<std::pair<AreaStatistics::Key, AreaFigures>> rows;
    for (const auto& [key, figures] : figures_) {
        const bool ofKind = key.first < 0;
        const bool ofRank = key.second == EventKind::None;
        if (by == Kind ? ofKind : by == Rank ? ofRank : (!ofKind && !ofRank) || (ofKind && ofRank))
            rows.emplace_back(key, figures);
    }
    // Everything stays first; ranks ascend, kinds stand by their time.
    if (by == Kind && !rows.empty())
        std::stable_sort(rows.begin() + 1, rows.end(),
                         [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    table_->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const auto& [key, figures] = rows[static_cast<std::size_t>(row)];
        QString title = key.first < 0 ? QString() : tr("rank %1").arg(key.first);
        if (key.second != EventKind::None)
            title += (title.isEmpty() ? QString() : QStringLiteral(" · ")) + term(name(key.second));
        if (title.isEmpty()) title = tr("all");
        const QString cells[]{title,
                              QString::number(figures.count),
                              seconds(context_.model, figures.total),
                              percent(share(key, figures)),
                              seconds(context_.model, static_cast<std::int64_t>(figures.mean)),
                              seconds(context_.model, figures.p95),
                              seconds(context_.model, figures.largest)};
        for (int column = 0; column < columns; ++column) {
            auto* item = child<QTableWidgetItem>(cells[column]);
            item->setTextAlignment(Qt::AlignVCenter | (column == Name ? Qt::AlignLeft : Qt::AlignRight));
            if (column != Name) item->setFont(mono);
            else item->setData(Qt::UserRole, key.first);
            table_->setItem(row, column, item);
        }
    }
    const bool counting = scan_.running();
    note_->setText(counting ? tr("counting …") : tr("only the part of a span that lies in the area counts"));
    note_->setToolTip(tr("Steps, validations and annotations consist of other spans and are left out. A span that lies "
                         "within another one has a row of its own and is not part of a sum"));
    giveNamesRoom();
    Q_EMIT subtitleChanged();
}

/// Names take what figures leave, and never less than they need: then the table scrolls.
void AreaView::giveNamesRoom() {
    int figures = 0;
    for (int column = Name + 1; column < columns; ++column) figures += table_->columnWidth(column);
    table_->setColumnWidth(Name, std::max(namesWidth(), table_->viewport()->width() - figures));
}

int AreaView::namesWidth() const {
    int width = 0;
    for (int row = 0; row < table_->rowCount(); ++row)
        width = std::max(width, table_->fontMetrics().horizontalAdvance(table_->item(row, Name)->text()));
    return width + namePadding;
}

bool AreaView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) giveNamesRoom();
    return View::eventFilter(watched, event);
}

double AreaView::share(const AreaStatistics::Key& key, const AreaFigures& figures) const {
    const TimeRange area = statistics_.area();
    const auto& chosen = context_.selection.areaRanks();
    const double ranks = key.first >= 0   ? 1.0
                         : chosen.empty() ? context_.model.ranks()
                                          : static_cast<double>(chosen.size());
    const double time = static_cast<double>(area.end - area.begin) * ranks;
    return time > 0 ? static_cast<double>(figures.total) / time : 0;
}

QString AreaView::subtitle() const {
    const auto& area = context_.selection.area();
    if (!area) return {};
    const auto& ranks = context_.selection.areaRanks();
    const QString who = ranks.empty()       ? tr("all ranks")
                        : ranks.size() == 1 ? tr("rank %1").arg(ranks.front())
                                            : tr("%1 ranks").arg(ranks.size());
    return tr("Δt %1 · %2").arg(seconds(context_.model, area->end - area->begin), who);
}

QString AreaView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    return context_.selection.area() ? QString()
                                     : tr("No area is chosen.\nShift+drag over the timeline to choose an area on all "
                                          "ranks, Ctrl+drag to choose one on the ranks dragged over.");
}

QString AreaView::asTable() const {
    QString table = tr("rank\tkind\tcount\ttotal s\tmean s\tp95 s\tlargest s\tshare\n");
    const auto figure = [this](double nanoseconds) {
        return QString::number(context_.model.deviceTime().seconds(nanoseconds * 1e-9), 'g', 12);
    };
    for (const auto& [key, figures] : figures_)
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\n")
                     .arg(key.first < 0 ? tr("all") : QString::number(key.first),
                          key.second == EventKind::None ? tr("all") : term(name(key.second)),
                          QString::number(figures.count), figure(static_cast<double>(figures.total)),
                          figure(figures.mean), figure(static_cast<double>(figures.p95)),
                          figure(static_cast<double>(figures.largest)), QString::number(share(key, figures), 'f', 4));
    return table;
}

}  // namespace shardlab::ui
