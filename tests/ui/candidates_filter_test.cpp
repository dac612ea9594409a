// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates: words above it leave those in sight in which all of them are found, and its columns cut no
// words while there is room.
#include "desktop_fixture.h"

#include "ui/views/candidates/candidates_model.h"
#include "ui/views/candidates/candidates_view.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QtTest>

#include <algorithm>
#include <vector>

using namespace shardlab::test;

namespace {

/// Some of its layouts do not fit an H100.
Layout searched() {
    Layout layout;
    layout.model = {ModelKind::Gpt, 32, 2560, 32, 1024, 50304, 0};
    layout.cluster.hosts = {{"a", 4}, {"b", 4}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 2};
    layout.parallel.data = 2;
    layout.parallel.pipeline = 4;
    layout.batch = {96, 2};
    return layout;
}

}  // namespace

class CandidatesFilterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsFilterThem();
    void columnsCutNoWordsWhileThereIsRoom();
    void candidatesOfAFaultyLayoutAreFresh();
};

/// What was found for a layout with faults stood in grey, as if it were of an earlier one.
void CandidatesFilterTest::candidatesOfAFaultyLayoutAreFresh() {
    Desk desk;
    SearchSession& search = desk.workbench.search();
    Layout faulty = searched();
    faulty.parallel.pipeline = 7;
    desk.workbench.newFromPreset(faulty);
    QVERIFY(!desk.document().faults().empty());
    CandidatesView view(desk.workbench.context(Workspace::Design), nullptr);
    view.show();
    search.start();
    QVERIFY(QTest::qWaitFor([&] { return !search.running() && !search.candidates().empty(); }));
    QVERIFY(!search.stale());
    QVERIFY2(!view.subtitle().contains("last legal"), qPrintable(view.subtitle()));
    // Another fault may be one that the search would have met.
    faulty.parallel.pipeline = 5;
    desk.document().change(faulty, "other");
    QVERIFY(search.stale() && !search.candidates().empty());
}

void CandidatesFilterTest::wordsFilterThem() {
    Desk desk;
    SearchSession& search = desk.workbench.search();
    desk.workbench.newFromPreset(searched());
    CandidatesView view(desk.workbench.context(Workspace::Design), nullptr);
    view.resize(460, 620);
    view.show();
    search.start();
    QVERIFY(QTest::qWaitFor([&] { return !search.running() && !search.candidates().empty(); }));
    auto* field = view.findChild<QLineEdit*>();
    QVERIFY(field && field->isVisible());
    QTableView& table = view.table();
    const int all = table.model()->rowCount();
    const QString degrees = degreesText(search.candidates()[1].choice);
    const auto shown = [&] {
        std::vector<Candidate> rows;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            rows.push_back(
                search.candidates()[static_cast<std::size_t>(view.candidateAt(table.model()->index(row, 0)))]);
        return rows;
    };
    QTest::keyClicks(field, degrees);
    QVERIFY(table.model()->rowCount() > 0 && table.model()->rowCount() < all);
    for (const Candidate& candidate : shown()) QVERIFY(degreesText(candidate.choice).contains(degrees));
    QVERIFY2(view.subtitle().contains(QStringLiteral("of %1 shown").arg(all)), qPrintable(view.subtitle()));
    for (const bool fits : {true, false}) {
        field->clear();
        QTest::keyClicks(field, fits ? QStringLiteral("fits") : QStringLiteral("oom"));
        const auto expected = std::ranges::count(search.candidates(), fits, &Candidate::fits);
        QCOMPARE(table.model()->rowCount(), static_cast<int>(expected));
        for (const Candidate& candidate : shown()) QCOMPARE(candidate.fits, fits);
    }
    field->setText(QStringLiteral("no such words"));
    QCOMPARE(table.model()->rowCount(), 0);
    field->clear();
    QCOMPARE(table.model()->rowCount(), all);
}

/// Degrees took all the room, and the schedule was cut beside them.
void CandidatesFilterTest::columnsCutNoWordsWhileThereIsRoom() {
    Desk desk;
    SearchSession& search = desk.workbench.search();
    desk.workbench.newFromPreset(searched());
    CandidatesView view(desk.workbench.context(Workspace::Design), nullptr);
    view.resize(900, 620);
    view.show();
    search.start();
    QVERIFY(QTest::qWaitFor([&] { return !search.running() && !search.candidates().empty(); }));
    QTableView& table = view.table();
    QHeaderView& header = *table.horizontalHeader();
    const int rows = table.model()->rowCount();
    const auto needs = [&](int column) {
        int most = 0;
        for (int row = 0; row < rows; ++row)
            most = std::max(most, table.sizeHintForIndex(table.model()->index(row, column)).width());
        return most;
    };
    constexpr int padding = 14;
    for (int width = 900; width >= 400; width -= 20) {
        view.resize(width, 620);
        QTRY_VERIFY(header.length() <= table.viewport()->width());
        const bool whole = !table.isColumnHidden(CandidatesModel::Micro);
        QVERIFY(width < 900 || whole);
        int wanted = 0;
        for (int column = 0; column < CandidatesModel::columns; ++column)
            if (!table.isColumnHidden(column))
                wanted += column <= CandidatesModel::Schedule ? needs(column) + padding : table.columnWidth(column);
        if (wanted > table.viewport()->width()) continue;
        for (int column = 0; column < CandidatesModel::columns; ++column)
            QVERIFY2(table.isColumnHidden(column) || table.columnWidth(column) >= needs(column),
                     "nothing is cut where there is room");
    }
}

QTEST_MAIN(CandidatesFilterTest)
#include "candidates_filter_test.moc"
