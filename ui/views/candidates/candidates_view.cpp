// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/search_session.h"
#include "ui/core/theme.h"
#include "ui/views/candidates/candidates_model.h"
#include "ui/views/candidates/candidates_plot.h"

#include "engine/base/units.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab {
namespace {

constexpr int wideTable = 520;
constexpr int cellPadding = 8;

}  // namespace

CandidatesView::CandidatesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), candidates_(child<CandidatesModel>(context.search, context.theme, this)),
      table_(child<QTableView>(this)), plot_(child<CandidatesPlot>(context.search, context.theme, this)),
      working_(child<QWidget>(this)), progress_(child<QProgressBar>(this)), cancel_(child<QPushButton>(tr("Cancel"), this)) {
    setAccessibleName(tr("Candidates"));
    setUpTable();
    setFocusProxy(table_);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Layouts tried"));
    cancel_->setProperty("role", QStringLiteral("flat"));
    cancel_->setToolTip(tr("Keep what was found so far"));
    auto* bar = child<QHBoxLayout>(working_);
    bar->setContentsMargins(10, 4, 6, 0);
    bar->addWidget(progress_, 1);
    bar->addWidget(cancel_);

    auto* lower = child<QWidget>(this);
    auto* title = child<QLabel>(tr("Throughput against memory"), lower);
    title->setProperty("role", QStringLiteral("title"));
    auto* under = child<QVBoxLayout>(lower);
    under->setContentsMargins(10, 4, 4, 0);
    under->setSpacing(0);
    under->addWidget(title);
    under->addWidget(plot_, 1);
    auto* parts = child<QSplitter>(Qt::Vertical, this);
    parts->addWidget(table_);
    parts->addWidget(lower);
    parts->setChildrenCollapsible(false);
    parts->setSizes({1000, 1000});  // alike
    parts->setStretchFactor(0, 1);
    parts->setStretchFactor(1, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(working_);
    column->addWidget(parts, 1);

    connect(&context_.search, &SearchSession::changed, this, &CandidatesView::refresh);
    connect(&context_.theme, &ThemeSource::changed, candidates_, &CandidatesModel::refresh);
    connect(cancel_, &QPushButton::clicked, &context_.search, &SearchSession::cancel);
    connect(plot_, &CandidatesPlot::looked, this, [this](int row) { look(row, true); });
    connect(plot_, &CandidatesPlot::picked, this, &CandidatesView::take);
    connect(table_, &QTableView::entered, this, [this](const QModelIndex& index) { look(index.row(), false); });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) { take(index.row()); });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { take(index.row()); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid()) look(index.row(), false);
    });
    refresh();
}

CandidatesView::~CandidatesView() = default;

void CandidatesView::setUpTable() {
    table_->setModel(candidates_);
    table_->setAccessibleName(tr("Candidates, best first"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setMouseTracking(true);
    table_->setMinimumHeight(72);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideRight);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(23);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setMinimumSectionSize(30);
    header->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 3px 2px; font-size: 11px; }"));
}

void CandidatesView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    // Where there is room all columns share it; else the schedule's name gives way.
    const bool wide = width() >= wideTable;
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(wide ? QHeaderView::Stretch : QHeaderView::Fixed);
    header->setSectionResizeMode(CandidatesModel::Schedule, QHeaderView::Stretch);
    if (wide) return;
    QFont font = context_.theme.theme().mono;
    font.setPixelSize(11);
    const QFontMetrics metrics(font);
    for (const auto& [column, longest] : {std::pair(CandidatesModel::Degrees, "16·16×2"), {CandidatesModel::Micro, "micro"},
                                          {CandidatesModel::Throughput, "images/s"}, {CandidatesModel::Bubble, "bubble"},
                                          {CandidatesModel::Peak, "OOM 96.4"}})
        header->resizeSection(column, metrics.horizontalAdvance(QString::fromUtf8(longest)) + cellPadding);
}

void CandidatesView::refresh() {
    const SearchSession& search = context_.search;
    candidates_->refresh();
    plot_->refresh();
    look(looked_ ? candidates_->rowOf(*looked_) : -1, false);
    working_->setVisible(search.running());
    progress_->setRange(0, static_cast<int>(std::max<std::size_t>(1, search.progress().legal)));
    progress_->setValue(static_cast<int>(search.progress().tried));
    Q_EMIT subtitleChanged();
}

void CandidatesView::look(int row, bool scroll) {
    const bool any = row >= 0 && row < candidates_->rowCount();
    if (any) looked_ = std::make_unique<Choice>(candidates_->at(row).choice);
    plot_->mark(any ? row : -1, context_.search.loaded());
    if (!any) return;
    const QSignalBlocker quiet(table_->selectionModel());
    const QModelIndex index = candidates_->index(row, 0);
    table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (scroll) {
        table_->scrollTo(index);
        plot_->setToolTip(candidates_->description(row));
    }
    table_->viewport()->update();
}

void CandidatesView::take(int row) {
    if (row < 0 || row >= candidates_->rowCount()) return;
    const Candidate candidate = candidates_->at(row);  // loading refreshes the rows
    looked_ = std::make_unique<Choice>(candidate.choice);
    context_.search.load(candidate);
}

QString CandidatesView::subtitle() const {
    const SearchSession& search = context_.search;
    const std::size_t tried = search.progress().tried;
    if (search.running()) return tr("%1 of %2 layouts tried").arg(tried).arg(search.progress().legal);
    if (tried == 0) return {};
    const QString figures = tr("%1 tried in %2").arg(tried).arg(QString::fromStdString(formatSeconds(search.seconds())));
    return search.complete() ? figures : tr("%1, cancelled").arg(figures);
}

QString CandidatesView::emptyText() const {
    const SearchSession& search = context_.search;
    if (!search.candidates().empty()) return {};
    if (search.running()) return tr("Searching …");
    if (!search.faults().empty()) return tr("No layout is legal for this model, cluster and batch.\n%1").arg(QString::fromStdString(toText(search.faults().front())));
    return tr("Which layout is best?\nPress Plan for me (Ctrl+P) to try the legal ones.\nWhat saves memory and costs time is tried where less does not fit.");
}

QString CandidatesView::asTable() const {
    QString table = tr("layout\tschedule\tmicrobatch\tstep s\t%1\tbubble\tpeak bytes\tfits\twhy not\n").arg(context_.search.throughputUnit());
    for (const Candidate& candidate : context_.search.candidates())
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\t%9\n")
                     .arg(degreesText(candidate.choice), scheduleText(candidate))
                     .arg(candidate.choice.micro)
                     .arg(candidate.stepSeconds, 0, 'g', 6)
                     .arg(candidate.tokensPerSecond, 0, 'g', 6)
                     .arg(candidate.bubble, 0, 'f', 4)
                     .arg(candidate.peakBytes)
                     .arg(candidate.fits ? tr("yes") : tr("no"), QString::fromStdString(candidate.why));
    return table;
}

}  // namespace shardlab
