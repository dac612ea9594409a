// SPDX-License-Identifier: GPL-3.0-or-later
// Words above the table of candidates leave those in sight in which all of them are found.
#include "desktop_fixture.h"

#include "ui/views/candidates/candidates_view.h"

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
};

void CandidatesFilterTest::wordsFilterThem() {
    Desk desk;
    SearchSession& search = desk.workbench.search();
    desk.workbench.newFromPreset(searched());
    CandidatesView view(desk.workbench.context(Workspace::Design), nullptr);
    view.resize(460, 620);
    view.show();
    search.start();
    QVERIFY(QTest::qWaitFor([&] { return !search.running() && !search.candidates().empty(); }, 60'000));
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

QTEST_MAIN(CandidatesFilterTest)
#include "candidates_filter_test.moc"
