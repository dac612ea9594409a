// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/evidence/evidence_view.h"

#include "engine/predict/evidence/published_ground.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/document.h"
#include "ui/core/taking.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/work_button.h"
#include "ui/views/evidence/evidence_plot.h"
#include "ui/core/words.h"

#include <QActionGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <initializer_list>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 21;
constexpr int wantedRows = 6;  ///< of the table, where the chart still has
constexpr int leastPlot = 64;  ///< pixels
constexpr int mostFilterLetters = 34;

QString title(RunFacet facet) {
    QString word = term(name(facet));
    word[0] = word[0].toUpper();
    return word;
}

}  // namespace

EvidenceView::EvidenceView(const ViewContext& context, QWidget* parent)
    : EvidenceView(context, parent, publishedRunsFile()) {}

EvidenceView::EvidenceView(const ViewContext& context, QWidget* parent, std::filesystem::path runs)
    : View(context, parent), session_(std::move(runs), this),
      model_(child<EvidenceModel>(session_, context.theme, this)), sorted_(child<QSortFilterProxyModel>(this)),
      plot_(child<EvidencePlot>(*model_, context.theme, this)), table_(child<QTableView>(this)),
      bar_(child<QWidget>(this)), work_(child<WorkButton>(this)), progress_(child<QProgressBar>(this)),
      figure_(child<ElidedComboBox>(this)), filter_(child<QToolButton>(this)), filters_(child<QMenu>(this)),
      parts_(child<QSplitter>(Qt::Vertical, this)),
      hint_(child<QLabel>(tr("How good are predictions?\nHere published runs are set against them."), this)) {
    setAccessibleName(tr("Evidence"));
    setUpBar();
    setUpTable();
    setFocusProxy(table_);
    hint_->setAlignment(Qt::AlignCenter);
    hint_->setWordWrap(true);
    hint_->setProperty("role", "hint");
    parts_->addWidget(plot_);
    parts_->addWidget(table_);
    parts_->setStretchFactor(0, 1);
    connect(parts_, &QSplitter::splitterMoved, this, [this] { partedByHand_ = true; });
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(parts_, 1);
    column->addWidget(hint_, 1);

    connect(&session_, &EvidenceSession::changed, this, [this] {
        model_->refresh();
        refresh();
    });
    connect(&context_.theme, &ThemeSource::changed, this, [this] { table_->viewport()->update(); });
    connect(plot_, &EvidencePlot::looked, this, &EvidenceView::hover);
    connect(plot_, &EvidencePlot::taken, this, &EvidenceView::take);
    connect(table_, &QTableView::entered, this, [this](const QModelIndex& index) { hover(rowAt(index)); });
    connect(table_, &QTableView::viewportEntered, this, [this] { hover(-1); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { plot_->mark(rowAt(index)); });
    onTaken(*table_, [this](const QModelIndex& index) { take(rowAt(index)); });
    refresh();
}

void EvidenceView::setUpBar() {
    progress_->setTextVisible(false);
    progress_->setMinimumWidth(24);
    progress_->setAccessibleName(tr("Runs predicted"));
    figure_->addItem(tr("Step time"));
    figure_->addItem(tr("Memory"));
    figure_->setAccessibleName(tr("What is compared"));
    filter_->setPopupMode(QToolButton::InstantPopup);
    filter_->setMenu(filters_);
    filter_->setProperty("role", QStringLiteral("flat"));
    filter_->setToolTip(tr("Which runs are shown"));
    // Narrow columns of the window stay as narrow as they are.
    work_->setMinimumWidth(50);
    figure_->setMinimumWidth(60);
    filter_->setMinimumWidth(30);
    auto* row = child<QHBoxLayout>(bar_);
    row->setContentsMargins(8, 2, 8, 2);
    row->addWidget(work_);
    row->addWidget(progress_, 1);
    row->addWidget(figure_);
    row->addWidget(filter_);
    row->addStretch();
    connect(work_, &QPushButton::clicked, this, [this] {
        if (session_.running()) session_.cancel();
        else if (!work_->late()) session_.start();
    });
    connect(figure_, &QComboBox::currentIndexChanged, this, [this](int index) {
        model_->setFigure(index == 0 ? EvidenceFigure::Step : EvidenceFigure::Memory);
        refresh();
    });
    connect(filters_, &QMenu::aboutToShow, this, &EvidenceView::fillMenu);
}

void EvidenceView::setUpTable() {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(EvidenceModel::sortRole);
    table_->setModel(sorted_);
    table_->setAccessibleName(tr("Published runs"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setMouseTracking(true);
    table_->setMinimumHeight(48);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideRight);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(rowHeight);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setSortIndicatorClearable(true);  // a third click: in the order of the table of runs again
    header->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(EvidenceModel::Devices, QHeaderView::Stretch);
    header->setMinimumSectionSize(30);
    header->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 3px 2px; font-size: 11px; }"));
}

void EvidenceView::fillMenu() {
    filters_->clear();
    for (const RunFacet facet : runFacets) {
        QMenu* values = filters_->addMenu(title(facet));
        auto* group = child<QActionGroup>(values);
        const auto add = [&](const QString& words, const std::string& value) {
            QAction* action = values->addAction(words);
            action->setCheckable(true);
            action->setChecked(model_->chosen(facet) == value);
            group->addAction(action);
            connect(action, &QAction::triggered, this, [this, facet, value] {
                model_->choose(facet, value);
                refresh();
            });
        };
        add(tr("All"), {});
        for (const auto& [value, runs] : model_->values(facet))
            add(QStringLiteral("%1 (%2)").arg(text(value)).arg(runs), value);
    }
    filters_->addSeparator();
    QAction* incomplete = filters_->addAction(tr("Runs too that do not count"));
    incomplete->setToolTip(tr("Runs whose source leaves something out, and those that no layout says"));
    incomplete->setCheckable(true);
    incomplete->setChecked(model_->incomplete());
    connect(incomplete, &QAction::toggled, this, [this](bool shown) {
        model_->setIncomplete(shown);
        refresh();
    });
    QAction* all = filters_->addAction(tr("All runs"));
    all->setEnabled(!model_->choosesAll());
    connect(all, &QAction::triggered, this, [this] {
        for (const RunFacet facet : runFacets) model_->choose(facet, {});
        refresh();
    });
}

void EvidenceView::showChosen() {
    QStringList chosen;
    for (const RunFacet facet : runFacets)
        if (!model_->chosen(facet).empty()) chosen << text(model_->chosen(facet));
    const QString all = chosen.isEmpty() ? tr("All runs") : chosen.join(QStringLiteral(" · "));
    filter_->setText(all.size() > mostFilterLetters ? all.left(mostFilterLetters) + QStringLiteral("…") : all);
    filter_->setToolTip(chosen.isEmpty() ? tr("Which runs are shown") : tr("The runs shown: %1").arg(all));
}

void EvidenceView::refresh() {
    plot_->refresh();
    showChosen();
    const bool any = !session_.rows().empty();
    parts_->setVisible(any);
    hint_->setVisible(!any);
    for (QWidget* choice : std::initializer_list<QWidget*>{figure_, filter_}) choice->setVisible(any);
    const bool running = session_.running();
    work_->setVisible(!session_.complete());
    work_->setStops(running);
    work_->setText(running ? tr("Cancel") : session_.rows().empty() ? tr("Predict runs") : tr("Go on"));
    work_->setToolTip(running ? tr("Keep what was predicted so far")
                              : tr("Predict the step and the memory of every published run that comes with Shardlab, "
                                   "on one core"));
    progress_->setVisible(running);
    progress_->setRange(0, static_cast<int>(std::max<std::size_t>(1, session_.total())));
    progress_->setValue(static_cast<int>(session_.rows().size()));
    table_->horizontalHeader()->resizeSections(QHeaderView::ResizeToContents);
    fitParts();
    setAccessibleDescription(subtitle());
    Q_EMIT subtitleChanged();
}

int EvidenceView::rowAt(const QModelIndex& index) const {
    return index.isValid() ? sorted_->mapToSource(index).row() : -1;
}

void EvidenceView::hover(int row) {
    const bool any = row >= 0 && row < model_->rowCount();
    plot_->setToolTip(any ? model_->description(row) : QString());
    plot_->mark(any ? row : rowAt(table_->currentIndex()));
}

void EvidenceView::take(int row) {
    if (row < 0 || row >= model_->rowCount()) return;
    const PublishedRun& run = model_->at(row).run;
    if (!run.refused.empty()) return;
    const QModelIndex index = sorted_->mapFromSource(model_->index(row, 0));
    table_->selectRow(index.row());
    table_->scrollTo(index);
    context_.document.change(run.layout, tr("Open published run %1").arg(text(run.id)));
}

QString EvidenceView::subtitle() const {
    if (session_.error()) return told(*session_.error());
    if (session_.rows().empty())
        return session_.running() ? tr("predicting …") : tr("published runs, not predicted yet");
    const ErrorSummary& errors = model_->summary();
    const QString runs = tr("%1 of %2 runs").arg(errors.rows).arg(session_.rows().size());
    if (errors.rows == 0) return runs;
    return tr("%1 · median error %2 · nine of ten within %3")
        .arg(runs, percent(errors.median), percent(errors.ninetieth));
}

void EvidenceView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitParts();
}

void EvidenceView::fitParts() {
    if (partedByHand_) return;
    layout()->activate();
    const int whole = parts_->height() - parts_->handleWidth();
    if (whole <= 0) return;
    const int wanted = table_->horizontalHeader()->sizeHint().height() + wantedRows * rowHeight;
    const int table = std::max(whole * 2 / 5, std::min(wanted, whole - leastPlot));
    parts_->setSizes({whole - table, table});
}

QString EvidenceView::subtitleHelp() const {
    return tr("Errors of the runs shown that count: those whose source states everything that a layout needs. The band "
              "in the chart is where nine of ten of them lie.");
}

QString EvidenceView::asTable() const {
    QString table = tr("run\tsource\tdevices\tmodel\tmethods\tstack\tpublished\tpredicted\terror\trefused\n");
    if (session_.rows().empty()) return table + tr("not predicted yet\t\t\t\t\t\t\t\t\t\n");
    const auto number = [](double value) { return QString::number(value, 'g', 6); };
    for (int row = 0; row < model_->rowCount(); ++row) {
        const PublishedRun& run = model_->at(row).run;
        const auto values = [&](RunFacet facet) {
            QStringList all;
            for (const std::string& value : facetValues(run, facet)) all << text(value);
            return all.join(QStringLiteral(", "));
        };
        const auto point = model_->point(row);
        QStringList cells{text(run.id),
                          text(run.source),
                          text(devicesText(run)),
                          values(RunFacet::Model),
                          values(RunFacet::Method),
                          values(RunFacet::Stack)};
        cells << (point ? number(point->x()) : QString()) << (point ? number(point->y()) : QString())
              << (point ? number(*model_->deviation(row)) : QString()) << text(run.refused);
        for (QString& cell : cells) cell.replace(QLatin1Char('\n'), QStringLiteral("; "));
        table += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return table;
}

}  // namespace shardlab::ui
