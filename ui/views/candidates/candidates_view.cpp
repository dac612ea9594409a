// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_view.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/field_words.h"
#include "ui/core/search_session.h"
#include "ui/core/taking.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"
#include "ui/views/candidates/candidate_preview.h"
#include "ui/views/candidates/candidates_filter.h"
#include "ui/views/candidates/candidates_model.h"
#include "ui/views/candidates/candidates_plot.h"

#include "engine/base/units.h"
#include "engine/predict/evidence/candidate_band.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int leastDegrees = 54;
constexpr int fontPixels = 11;
constexpr int cellPadding = 14;
constexpr int sortMark = 16;
constexpr int low = 330;  ///< pixels of height below which table and plot need what the preview has

}  // namespace

CandidatesView::CandidatesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), candidates_(child<CandidatesModel>(context.search, context.theme, this)),
      sorted_(child<CandidatesFilter>(this)), filter_(child<QLineEdit>(this)), table_(child<QTableView>(this)),
      plot_(child<CandidatesPlot>(context.search, context.theme, this)),
      preview_(child<CandidatePreview>(context.search, *candidates_, this)), working_(child<QWidget>(this)),
      progress_(child<QProgressBar>(this)), cancel_(child<QPushButton>(tr("Cancel"), this)) {
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

    auto* parts = child<QSplitter>(Qt::Vertical, this);
    parts->addWidget(table_);
    parts->addWidget(plot_);
    parts->setChildrenCollapsible(false);
    parts->setSizes({1000, 1000});  // alike
    parts->setStretchFactor(0, 1);
    parts->setStretchFactor(1, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    filter_->setPlaceholderText(tr("filter: pp4 1f1b fits"));
    filter_->setAccessibleName(tr("Show only these candidates"));
    filter_->setToolTip(tr("Show only candidates with all of these words: degrees, a schedule, fits or oom"));
    filter_->setClearButtonEnabled(true);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sorted_->setWords(text);
        Q_EMIT subtitleChanged();
    });
    auto* filtering = child<QHBoxLayout>();
    filtering->setContentsMargins(8, 4, 8, 2);
    filtering->addWidget(filter_);
    column->addLayout(filtering);
    column->addWidget(working_);
    column->addWidget(parts, 1);
    column->addWidget(preview_);

    connect(&context_.search, &SearchSession::changed, this, &CandidatesView::refresh);
    connect(&context_.theme, &ThemeSource::changed, candidates_, &CandidatesModel::refresh);
    connect(&grounds_, &PublishedGrounds::found, this, [this] {
        showBand();
        Q_EMIT subtitleChanged();
    });
    connect(cancel_, &QPushButton::clicked, &context_.search, &SearchSession::cancel);
    connect(plot_, &CandidatesPlot::looked, this, &CandidatesView::hover);
    connect(plot_, &CandidatesPlot::picked, this, [this](int candidate) {
        select(candidate);
        table_->scrollTo(rowOf(candidate));
    });
    connect(plot_, &CandidatesPlot::taken, this, &CandidatesView::take);
    connect(&preview_->takeButton(), &QPushButton::clicked, this,
            [this] { take(candidateAt(table_->currentIndex())); });
    connect(table_, &QTableView::entered, this, [this](const QModelIndex& index) { hover(candidateAt(index)); });
    connect(table_, &QTableView::viewportEntered, this, [this] { hover(-1); });
    onTaken(*table_, [this](const QModelIndex& index) { take(candidateAt(index)); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid()) select(candidateAt(index));
    });
    refresh();
}

CandidatesView::~CandidatesView() = default;

void CandidatesView::setUpTable() {
    sorted_->setSourceModel(candidates_);
    sorted_->setSortRole(CandidatesModel::sortRole);
    table_->setModel(sorted_);
    table_->viewport()->installEventFilter(this);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
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
    header->setSortIndicatorClearable(true);  // a third click: best first again
    header->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(CandidatesModel::Schedule, QHeaderView::Stretch);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int before, int after) {
        const bool shownOrHidden = before == 0 || after == 0;  // of which Qt tells later
        if (!fitting_ && !shownOrHidden && column != CandidatesModel::Schedule) sizedByHand_ = true;
    });
    connect(header, &QHeaderView::sortIndicatorChanged, this, &CandidatesView::fitColumns);
    header->setMinimumSectionSize(30);
    header->setStyleSheet(
        QStringLiteral("QHeaderView::section { padding: 3px 2px; font-size: %1px; }").arg(fontPixels));
}

void CandidatesView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    preview_->setLow(height() < low);
    filter_->setVisible(height() >= low);
}

void CandidatesView::fitColumns() {
    if (sizedByHand_) return;
    const QScopedValueRollback quiet(fitting_, true);
    QHeaderView* header = table_->horizontalHeader();
    QFont body = context_.theme.theme().body, mono = context_.theme.theme().mono;
    body.setPixelSize(fontPixels);
    mono.setPixelSize(fontPixels);
    const auto headed = [&](int column) {
        const QString head = candidates_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int mark = header->sortIndicatorSection() == column ? sortMark : 0;
        return cellPadding + QFontMetrics(body).horizontalAdvance(head) + mark;
    };
    const auto natural = [&](int column) {
        return std::max(headed(column),
                        cellPadding + QFontMetrics(mono).horizontalAdvance(candidates_->longest(column)));
    };
    int room = table_->viewport()->width();
    for (const int column : {CandidatesModel::Throughput, CandidatesModel::Bubble, CandidatesModel::Peak}) {
        const int width = natural(column);
        header->resizeSection(column, width);
        room -= width;
    }
    // Where words would be cut, the microbatch goes: it is in the preview too. Degrees and schedule share what is left.
    const int degrees = natural(CandidatesModel::Degrees), schedule = natural(CandidatesModel::Schedule),
              micro = natural(CandidatesModel::Micro);
    const bool hidden = degrees + schedule + micro > room;
    table_->setColumnHidden(CandidatesModel::Micro, hidden);
    if (!hidden) header->resizeSection(CandidatesModel::Micro, micro);
    const int fair = degrees + schedule <= room ? degrees : room * degrees / (degrees + schedule);
    const int most = std::max(leastDegrees, room - headed(CandidatesModel::Schedule));
    header->resizeSection(CandidatesModel::Degrees, std::clamp(fair, leastDegrees, most));
}

bool CandidatesView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Leave) hover(-1);
    if (watched == table_->viewport() && event->type() == QEvent::Resize) fitColumns();
    return View::eventFilter(watched, event);
}

int CandidatesView::candidateAt(const QModelIndex& index) const {
    return index.isValid() ? sorted_->mapToSource(index).row() : -1;
}

QModelIndex CandidatesView::rowOf(int candidate) const {
    return sorted_->mapFromSource(candidates_->index(candidate, 0));
}

void CandidatesView::refresh() {
    const SearchSession& search = context_.search;
    candidates_->refresh();
    plot_->refresh();
    showBand();
    hovered_ = -1;
    select(selected_ ? candidates_->rowOf(*selected_) : -1);
    fitColumns();
    working_->setVisible(search.running());
    progress_->setRange(0, static_cast<int>(std::max<std::size_t>(1, search.progress().legal)));
    progress_->setValue(static_cast<int>(search.progress().tried));
    Q_EMIT subtitleChanged();
}

void CandidatesView::showBand() {
    const SearchSession& search = context_.search;
    band_.clear();
    bandHelp_.clear();
    const bool any = !search.candidates().empty() && !search.running() && !search.stale();
    const Result<PublishedGround>* found = any ? grounds_.of(search.layoutOf(search.candidates().front())) : nullptr;
    const std::size_t within = found && *found ? candidatesWithinBand(search.candidates(), **found) : 0;
    const bool several = within > 1;
    const QString width = several ? percent((*found)->time.ninetieth) : QString();
    candidates_->setBand(several ? static_cast<int>(within) : 0, width);
    plot_->setBand(several ? (*found)->time.ninetieth : 0);
    if (found && *found) bandHelp_ = text((*found)->text());
    if (!several) return;
    band_ = tr("the first %1 within ± %2").arg(within).arg(width);
    bandHelp_ = text(bandText(within, **found)) + QLatin1Char('\n') + bandHelp_;
}

void CandidatesView::select(int candidate) {
    const bool any = candidate >= 0 && candidate < candidates_->rowCount();
    if (any) selected_ = std::make_unique<Choice>(candidates_->at(candidate).choice);
    preview_->present(any ? candidate : -1);
    mark();
    const QSignalBlocker quiet(table_->selectionModel());
    if (any) {
        table_->selectionModel()->setCurrentIndex(rowOf(candidate),
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    } else {
        table_->selectionModel()->clear();
    }
    table_->viewport()->update();
}

void CandidatesView::hover(int candidate) {
    hovered_ = candidate;
    plot_->setToolTip(candidate >= 0 && candidate < candidates_->rowCount() ? candidates_->description(candidate)
                                                                            : QString());
    mark();
}

void CandidatesView::mark() {
    const int selected = selected_ ? candidates_->rowOf(*selected_) : -1;
    plot_->mark(hovered_ >= 0 ? hovered_ : selected, context_.search.loaded());
}

void CandidatesView::take(int candidate) {
    if (candidate < 0 || candidate >= candidates_->rowCount()) return;
    const Candidate taken = candidates_->at(candidate);  // loading refreshes the rows
    selected_ = std::make_unique<Choice>(taken.choice);
    context_.search.load(taken);
}

QString CandidatesView::subtitle() const {
    const SearchSession& search = context_.search;
    const std::size_t tried = search.progress().tried;
    if (search.stale() && !search.candidates().empty()) return tr("from the last legal layout");
    if (search.running()) return tr("%1 of %2 layouts tried").arg(tried).arg(search.progress().legal);
    if (tried == 0) return {};
    const QString figures =
        tr("%1 tried in %2").arg(tried).arg(QString::fromStdString(formatSeconds(search.seconds())));
    QString said = search.complete() ? figures : tr("%1, cancelled").arg(figures);
    if (sorted_->rowCount() != candidates_->rowCount())
        said = tr("%1 of %2 shown · %3").arg(sorted_->rowCount()).arg(candidates_->rowCount()).arg(said);
    return band_.isEmpty() ? said : said + QStringLiteral(" · ") + band_;
}

QString CandidatesView::emptyText() const {
    const SearchSession& search = context_.search;
    if (!search.candidates().empty()) return {};
    if (search.running()) return tr("Searching …");
    if (!search.faults().empty())
        return tr("No layout is legal for this model, cluster and batch.\n%1")
            .arg(faultsText({search.faults().front()}));
    return tr("Which layout is best?\nPress Plan for me (Ctrl+P) to try the legal ones.\nMethods that save memory at "
              "the cost of time are tried where nothing faster fits.");
}

QString CandidatesView::asTable() const {
    QString table = tr("layout\tschedule\tmicrobatch\tstep s\t%1\tbubble\tpeak bytes\tfits\twhy not\twithin the band\n")
                        .arg(context_.search.throughputUnit());
    int row = 0;
    for (const Candidate& candidate : context_.search.candidates())
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\t%9\t")
                     .arg(degreesText(candidate.choice), scheduleText(candidate))
                     .arg(candidate.choice.micro)
                     .arg(candidate.stepSeconds, 0, 'g', 6)
                     .arg(candidate.tokensPerSecond, 0, 'g', 6)
                     .arg(candidate.bubble, 0, 'f', 4)
                     .arg(candidate.peakBytes)
                     .arg(candidate.fits ? tr("yes") : tr("no"), told(candidate.why)) +
                 (candidates_->withinBand(row++) ? tr("yes") : QString()) + QLatin1Char('\n');
    return table;
}

}  // namespace shardlab::ui
