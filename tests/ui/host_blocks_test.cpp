// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh of several hosts: ranks stand in blocks by host, none covers another, and however many there are the view
// scrolls down only.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/child.h"
#include "ui/views/mesh/mesh_grid.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

Layout onHosts(int hosts, int devices, int pipeline, int tensor) {
    Layout layout;
    layout.cluster.hosts.clear();
    for (int host = 0; host < hosts; ++host) layout.cluster.hosts.push_back({"node" + std::to_string(host), devices});
    layout.parallel.pipeline = pipeline;
    layout.parallel.tensor = tensor;
    layout.parallel.data = hosts * devices / pipeline / tensor;
    return layout;
}

}  // namespace

class HostBlocksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ranksStandByHost_data() {
        QTest::addColumn<int>("hosts");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QSize>("room");
        QTest::addColumn<bool>("numbered");
        const QSize narrow(246, 180), filled(1500, 860);
        QTest::newRow("2 hosts") << 2 << 8 << 4 << 2 << narrow << true;
        QTest::newRow("64 ranks") << 8 << 8 << 8 << 8 << narrow << true;
        QTest::newRow("256 ranks") << 32 << 8 << 8 << 8 << narrow << true;
        QTest::newRow("256 ranks on 4 hosts") << 4 << 64 << 4 << 1 << narrow << true;
        QTest::newRow("1024 ranks") << 128 << 8 << 16 << 8 << narrow << false;
        QTest::newRow("1024 ranks, filled") << 128 << 8 << 16 << 8 << filled << true;
        QTest::newRow("hosts of one device") << 12 << 1 << 4 << 1 << narrow << true;
    }
    void ranksStandByHost() {
        QFETCH(int, hosts);
        QFETCH(int, devices);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QSize, room);
        QFETCH(bool, numbered);
        const Mesh mesh(onHosts(hosts, devices, pipeline, tensor));
        sample::Bench bench(Workspace::Design);
        auto* grid = child<MeshGrid>(bench.theme, nullptr);
        QScrollArea area;
        area.setFrameShape(QFrame::NoFrame);
        area.setWidget(grid);
        area.setWidgetResizable(true);
        QStringList heads;
        for (int stage = 0; stage < pipeline; ++stage) heads << QStringLiteral("L%1").arg(stage);
        grid->setMesh(mesh, heads);
        area.resize(room);
        area.show();
        QTest::qWait(20);
        QVERIFY2(area.horizontalScrollBar()->maximum() == 0, "scrolls sideways");
        QVERIFY(grid->hosts().used());
        std::vector<QRect> places(static_cast<std::size_t>(hosts));
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const QRect cell = grid->cellRect(rank);
            QVERIFY(grid->rect().contains(cell));
            QVERIFY2(cell.width() >= (numbered ? 20 : 9) && cell.height() >= (numbered ? 15 : 9), "too small");
            QRect& place = places[static_cast<std::size_t>(mesh.host(rank))];
            for (int other = rank - rank % devices; other < rank; ++other)
                QVERIFY(!cell.intersects(grid->cellRect(other)));
            place |= cell;
        }
        for (std::size_t host = 0; host < places.size(); ++host) {
            QVERIFY(grid->hosts().head(host).bottom() <= places[host].top());
            for (std::size_t other = 0; other < host; ++other) {
                QVERIFY2(!places[host].intersects(places[other]), "hosts overlap");
                QVERIFY(!places[host].intersects(grid->hosts().head(other)));
            }
        }
    }

    /// The first of 32 hosts alone was named with its layers, and a fifth of the view beside them stood empty.
    void hostsAreNamedAlike() {
        sample::Bench bench(Workspace::Design);
        MeshGrid grid(bench.theme, nullptr);
        QStringList heads;
        for (int stage = 0; stage < 8; ++stage) heads << QStringLiteral("L%1–%2").arg(2 * stage).arg(2 * stage + 1);
        grid.setMesh(Mesh(onHosts(32, 8, 8, 8)), heads);
        for (const int width : {246, 380, 700, 1400}) {
            grid.resize(width, 240);
            grid.grab();
            const int named = grid.hosts().head(0).width();
            const QStringList titles = grid.hostTitles(grid.fontMetrics(), named);
            QCOMPARE(titles.size(), 32);
            for (const QString& title : titles)
                QCOMPARE(title.count(QStringLiteral(" · ")), titles.front().count(QStringLiteral(" · ")));
            int right = 0;
            for (std::size_t host = 0; host < 32; ++host) right = std::max(right, grid.hosts().head(host).right());
            QVERIFY2(right <= width && width - right < 64, qPrintable(QString::number(right)));
        }
        QVERIFY(grid.hostTitles(grid.fontMetrics(), 400).back().endsWith(QStringLiteral("L14–15")));
    }

    void theKeyboardReachesEveryRank() {
        const Mesh mesh(onHosts(6, 8, 2, 4));
        sample::Bench bench(Workspace::Design);
        MeshGrid grid(bench.theme, nullptr);
        grid.setMesh(mesh, {"L0", "L1"});
        grid.resize(420, 260);
        grid.show();
        int picked = -1;
        connect(&grid, &MeshGrid::picked, &grid, [&](int rank) { grid.setSelected(picked = rank); });
        QTest::keyClick(&grid, Qt::Key_Right);
        QCOMPARE(picked, 0);
        QTest::keyClick(&grid, Qt::Key_Right);
        QCOMPARE(picked, 1);
        QSet<int> reached{0};
        std::vector<int> waiting{0};
        while (!waiting.empty()) {
            const int from = waiting.back();
            waiting.pop_back();
            for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}) {
                grid.setSelected(from);
                picked = -1;
                QTest::keyClick(&grid, key);
                if (picked >= 0 && !reached.contains(picked)) waiting.push_back(picked);
                reached.insert(picked);
            }
        }
        QCOMPARE(reached.size(), mesh.ranks());
        // A click finds the rank that is drawn there.
        for (const int rank : {0, 13, 47}) {
            grid.setSelected(-1);
            QTest::mouseClick(&grid, Qt::LeftButton, {}, grid.cellRect(rank).center());
            QCOMPARE(picked, rank);
        }
    }

    void oneHostKeepsItsGrid() {
        Layout layout;
        layout.cluster.hosts = {{"localhost", 8}};
        layout.parallel.data = 2;
        layout.parallel.pipeline = 4;
        sample::Bench bench(Workspace::Design);
        MeshGrid grid(bench.theme, nullptr);
        grid.setMesh(Mesh(layout), {"a", "b", "c", "d"});
        QVERIFY(!grid.hosts().used());
        QVERIFY(!grid.hasHeightForWidth());
    }
};

QTEST_MAIN(HostBlocksTest)
#include "host_blocks_test.moc"
