// SPDX-License-Identifier: GPL-3.0-or-later
// The home page: every preset is a card and opens, recent files say what differs, lessons stand by chapter, a cluster
// is planned for; all of it with the keyboard, and as lists for screen readers.
#include "desktop_fixture.h"
#include "recorded_run.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include "ui/views/home/chapter_list.h"
#include "ui/views/home/cluster_bar.h"
#include "ui/views/home/home_view.h"
#include "ui/views/home/preset_gallery.h"
#include "ui/views/home/recent_list.h"
#include "ui/views/home/schedule_sketch.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/workspace_area.h"

#include "engine/base/most_ranks.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/slots.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>

#include <fstream>
#include <random>

using namespace shardlab::test;

namespace {

/// A window that shows the home page.
struct Home {
    Desk desk;
    MainWindow window{desk.workbench};

    Home() {
        window.resize(1280, 720);
        window.showWorkspace(Workspace::Home);
        window.show();
    }
    HomeView& view() { return static_cast<HomeView&>(window.area(Workspace::Home).panel("home")->view()); }
    const Layout& layout() { return desk.document().layout(); }
    /// A file of the layout, opened and so among the recent ones.
    std::filesystem::path keep(const Layout& layout, const char* name) {
        const auto file = desk.path(name);
        if (!saveLayout(layout, file)) throw std::runtime_error("not saved");
        desk.workbench.recent().add(file);
        return file;
    }
};

int cardOf(const PresetGallery& gallery, const std::string& name) {
    for (int row = 0; row < gallery.cards().count(); ++row)
        if (const Preset* preset = gallery.at(row); preset && preset->name == name) return row;
    return -1;
}

QString readAloud(const QListWidget& list, int row) { return list.item(row)->data(Qt::AccessibleTextRole).toString(); }

}  // namespace

class HomeViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// In a large window there were more cards in a line, and less of what each says than in a small one.
    void cardsOfALargeWindowHoldMoreWords() {
        Home home;
        PresetGallery& gallery = home.view().gallery();
        const auto widthIn = [&](const QSize& size) {
            home.window.resize(size);
            QTest::qWait(50);
            return gallery.cards().visualItemRect(gallery.cards().item(1)).width();
        };
        QTRY_VERIFY(widthIn({1280, 720}) < 270);
        QTRY_VERIFY(widthIn({2560, 1440}) > 290);
        QTRY_VERIFY(widthIn({1600, 1000}) < 290);
    }

    void everyPresetIsACardThatOpens() {
        Home home;
        PresetGallery& gallery = home.view().gallery();
        const auto known = presets();
        QVERIFY(known.has_value());
        for (const Preset& preset : *known) {
            const int row = cardOf(gallery, preset.name);
            QVERIFY2(row >= 0, preset.name.c_str());
            QVERIFY(readAloud(gallery.cards(), row).contains(QString::fromStdString(preset.summary)));
        }
        // By a click.
        const int row = cardOf(gallery, "zb-h1-4");
        gallery.cards().scrollToItem(gallery.cards().item(row));
        QTRY_VERIFY(!gallery.cards().visualItemRect(gallery.cards().item(row)).isEmpty());
        QTest::mouseClick(gallery.cards().viewport(), Qt::LeftButton, {},
                          gallery.cards().visualItemRect(gallery.cards().item(row)).center());
        QVERIFY(home.layout() == findPreset("zb-h1-4")->layout);
        QCOMPARE(home.window.workspace(), Workspace::Design);
        // By the keyboard, which finds it first.
        home.window.showWorkspace(Workspace::Home);
        QTest::keyClicks(&gallery.search(), QStringLiteral("DUALPIPE folded"));
        QCOMPARE(cardOf(gallery, "1f1b-4"), -1);
        QTest::keyClick(&gallery.search(), Qt::Key_Return);
        QVERIFY(home.layout() == findPreset("dualpipe-v-4")->layout);
        gallery.search().setText(QStringLiteral("nothing is called like this"));
        QCOMPARE(gallery.cards().count(), 1);  // and says so
        QTest::keyClick(&gallery.search(), Qt::Key_Return);
        QVERIFY(home.layout() == findPreset("dualpipe-v-4")->layout);
    }

    /// Enter opened whatever stood first among the presets that have the words, the small twin of DeepSeek-V3's
    /// attention where "deepseek-v3" was typed; and no card said which that would be.
    void aNameTypedInFullOpensThatPreset() {
        Home home;
        QVERIFY(QTest::qWaitForWindowActive(&home.window));
        PresetGallery& gallery = home.view().gallery();
        const auto known = presets();
        QVERIFY(known.has_value());
        std::size_t behindAnother = 0;
        for (const Preset& preset : *known) {
            gallery.search().setText(QString::fromStdString(preset.name).toUpper());
            const Preset* chosen = gallery.at(gallery.cards().currentRow());
            QVERIFY2(chosen && chosen->name == preset.name, preset.name.c_str());
            behindAnother += gallery.at(1)->name != preset.name ? 1 : 0;
        }
        QVERIFY(behindAnother > 0);
        gallery.search().setFocus();
        gallery.search().setText(QStringLiteral("deepseek-v3"));
        QTRY_VERIFY(!gallery.cards().visualItemRect(gallery.cards().currentItem()).isEmpty());
        QTest::qWait(50);
        const QRect card = gallery.cards().visualItemRect(gallery.cards().currentItem());
        const QImage picture = gallery.cards().viewport()->grab().toImage();
        const QColor accent = home.desk.workbench.theme().theme().accent;
        const auto isAccent = [&](int x, int y) {
            const QColor there = picture.pixelColor(x, y);
            return std::abs(there.red() - accent.red()) + std::abs(there.green() - accent.green()) +
                       std::abs(there.blue() - accent.blue()) <
                   60;
        };
        int framed = 0;
        for (int y = card.top(); y < card.bottom(); ++y)
            framed += isAccent(card.left() + 3, y) || isAccent(card.left() + 4, y) ? 1 : 0;
        QVERIFY2(framed > card.height() / 2, qPrintable(QString::number(framed)));
        QTest::keyClick(&gallery.search(), Qt::Key_Return);
        QVERIFY(home.layout() == findPreset("deepseek-v3")->layout);
    }

    void cardsOfAFamilyStandTogetherAndArrowsPassItsHeading() {
        Home home;
        QVERIFY(QTest::qWaitForWindowActive(&home.window));
        PresetGallery& gallery = home.view().gallery();
        QListWidget& cards = gallery.cards();
        QTRY_VERIFY(cards.visualItemRect(cards.item(1)).width() > 150);
        QSet<QString> seen;
        for (int row = 0; row < cards.count(); ++row) {
            if (gallery.at(row)) continue;
            QVERIFY2(!seen.contains(cards.item(row)->text()), qPrintable(cards.item(row)->text()));
            seen.insert(cards.item(row)->text());
            // A heading has a line of its own.
            for (int other = 0; other < cards.count(); ++other)
                QVERIFY(other == row ||
                        !cards.visualItemRect(cards.item(row)).intersects(cards.visualItemRect(cards.item(other))));
        }
        QVERIFY(seen.size() >= 5);
        cards.setFocus();
        QSet<int> reached{cards.currentRow()};
        for (int press = 0; press < cards.count(); ++press) {
            QTest::keyClick(&cards, press % 2 == 0 ? Qt::Key_Down : Qt::Key_Right);
            QVERIFY(gallery.at(cards.currentRow()));
            reached.insert(cards.currentRow());
        }
        QVERIFY2(reached.size() > 20, qPrintable(QString::number(reached.size())));
    }

    /// What a card shows is the schedule, action by action.
    void sketchesAreTheSchedule() {
        std::mt19937 random(freshSeed());
        for (const ScheduleMethod& method : generatedMethods()) {
            Layout layout;
            layout.parallel.data = 1 + static_cast<int>(random() % 2);
            layout.parallel.pipeline = 4;
            layout.schedule.kind = std::string(method.name);
            layout.schedule.chunks = std::max(method.minChunks, std::min(2, method.maxChunks));
            layout.batch.micro = 1;
            layout.batch.global = layout.parallel.data * 8;
            const auto schedule = generateSchedule(method.name, scheduleShape(layout));
            QVERIFY2(schedule.has_value(), method.name.data());
            const SlotTimes times = slotTimes(*schedule);
            const ScheduleSketch sketch = sketchOf(layout);
            QCOMPARE(sketch.rows, 4);
            for (int rank = 0; rank < 4; ++rank) {
                std::vector<ScheduleSketch::Bar> bars;
                for (const ScheduleSketch::Bar& bar : sketch.bars)
                    if (bar.row == rank && bar.kind != EventKind::ReduceGradients && bar.kind != EventKind::Optimizer)
                        bars.push_back(bar);
                std::size_t next = 0;
                const std::vector<Action>& actions = schedule->ranks[static_cast<std::size_t>(rank)];
                for (std::size_t i = 0; i < actions.size(); ++i) {
                    if (slotsOf(actions[i].kind) == 0) continue;
                    QVERIFY(next < bars.size());
                    QCOMPARE(bars[next].kind, eventKind(actions[i].kind));
                    QCOMPARE(bars[next].begin, times.begin[static_cast<std::size_t>(rank)][i]);
                    if (next > 0) QVERIFY(bars[next - 1].begin + bars[next - 1].length <= bars[next].begin);
                    QVERIFY(bars[next].begin + bars[next].length <= sketch.length);
                    ++next;
                }
                QCOMPARE(next, bars.size());
            }
        }
        const auto known = presets();
        for (const Preset& preset : *known) QVERIFY2(!sketchOf(preset.layout).bars.empty(), preset.name.c_str());
    }

    void recentFilesSayWhatDiffersAndKeepTags() {
        Home home;
        Layout first = findPreset("default")->layout;
        first.name = "first";
        home.keep(first, "first.layout.json");
        Layout second = first;
        second.name = "second";
        second.schedule.kind = "gpipe";
        second.batch.micro = 1;
        home.keep(second, "second.layout.json");
        const auto run = home.desk.path("third.shardlab");
        recordRun(run, *makePlan(second), 3, freshSeed());
        home.desk.workbench.recent().add(run);
        RecentList& recent = home.view().recent();
        QListWidget& rows = recent.rows();
        QTRY_COMPARE(rows.count(), 3);
        QTRY_VERIFY2(readAloud(rows, 0).contains(QStringLiteral("same layout as second")),
                     qPrintable(readAloud(rows, 0)));
        QVERIFY2(readAloud(rows, 0).contains(QStringLiteral("run · finished · gpipe")), qPrintable(readAloud(rows, 0)));
        QVERIFY2(readAloud(rows, 1).contains(QStringLiteral("Schedule gpipe instead of 1f1b")),
                 qPrintable(readAloud(rows, 1)));
        // Tags are typed in words, found, and there again in another window.
        rows.setCurrentRow(1);
        recent.tags().setFocus();
        recent.tags().setText(QStringLiteral("#Baseline, small small"));
        QTest::keyClick(&recent.tags(), Qt::Key_Return);
        QVERIFY(readAloud(rows, 1).contains(QStringLiteral("#baseline #small")));
        recent.search().setText(QStringLiteral("baseline"));
        QCOMPARE(rows.count(), 1);
        QVERIFY(recent.fileOf(0).endsWith(QStringLiteral("second.layout.json")));
        const HomeSession again(home.desk.document(), home.desk.workbench.recent(), home.desk.workbench.lessons());
        QCOMPARE(again.tags(recent.fileOf(0)), QStringList({"baseline", "small"}));
        recent.search().clear();
        // Whoever opened a file and tags it tags that one, not the one that was selected before.
        rows.setCurrentRow(2);
        home.desk.workbench.recent().add(home.desk.path("second.layout.json"));
        QTRY_VERIFY(recent.fileOf(0).endsWith(QStringLiteral("second.layout.json")));
        QCOMPARE(rows.currentRow(), 0);
        // Enter opens, Delete takes it off the list.
        rows.setCurrentRow(2);
        QTest::keyClick(&rows, Qt::Key_Return);
        QVERIFY(home.layout() == first);
        home.window.showWorkspace(Workspace::Home);
        QTRY_COMPARE(rows.count(), 3);  // first came to the top
        QVERIFY(recent.fileOf(0).endsWith(QStringLiteral("first.layout.json")));
        rows.setCurrentRow(0);
        QTest::keyClick(&rows, Qt::Key_Delete);
        QCOMPARE(rows.count(), 2);
        QVERIFY(std::filesystem::exists(home.desk.path("first.layout.json")));
        // A file that is gone says so.
        std::filesystem::remove(home.desk.path("second.layout.json"));
        home.desk.workbench.recent().add(run);
        QTRY_VERIFY2(readAloud(rows, 1).contains(QStringLiteral("second.layout.json")), qPrintable(readAloud(rows, 1)));
    }

    void lessonsStandByChapterWithTheirProgress() {
        Home home;
        ChapterList& chapters = home.view().chapters();
        QListWidget& rows = chapters.rows();
        QTRY_VERIFY(rows.count() > 20);
        int lessons = 0, bubble = -1;
        for (int row = 0; row < rows.count(); ++row) {
            if (chapters.lessonOf(row).isEmpty()) continue;
            ++lessons;
            if (chapters.lessonOf(row) == QStringLiteral("bubble")) bubble = row;
        }
        QCOMPARE(static_cast<std::size_t>(lessons), shardlab::launch::lessons()->size());
        QVERIFY(readAloud(rows, 0).contains(QStringLiteral("0 of")));
        QVERIFY(readAloud(rows, bubble).contains(QStringLiteral("3 experiments")));
        rows.setCurrentRow(bubble);
        QTest::keyClick(&rows, Qt::Key_Return);
        QCOMPARE(home.window.workspace(), Workspace::Learn);
        LessonSession& session = home.desk.workbench.lessons();
        QCOMPARE(session.lesson()->name, std::string("bubble"));
        // An experiment that ran is progress, here and the next time.
        session.run({1});
        QTRY_COMPARE(home.desk.jobs->started.load(), 1);
        recordRun(home.desk.jobs->options.runFile, *makePlan(home.desk.jobs->options.layout), 3, freshSeed());
        home.desk.jobs->end("finished");
        QTRY_VERIFY(session.state(1) == LessonSession::State::Ran);
        QTRY_VERIFY(readAloud(rows, bubble).contains(QStringLiteral("1 of 3 run")));
        const HomeSession again(home.desk.document(), home.desk.workbench.recent(), session);
        QCOMPARE(again.ran(QStringLiteral("bubble")), QStringList{QStringLiteral("gpipe")});
    }

    void aClusterIsPlannedFor() {
        Home home;
        ClusterBar& bar = home.view().cluster();
        QVERIFY(bar.model().count() > 10 && bar.device().count() > 5);
        bar.nodes().setValue(3);
        bar.devices().setValue(4);
        bar.model().setCurrentIndex(bar.model().findData(QStringLiteral("llama2-7b")));
        bar.device().setCurrentIndex(bar.device().findData(QStringLiteral("a100-sxm")));
        QTest::mouseClick(&bar.planButton(), Qt::LeftButton);
        QTRY_COMPARE(home.window.workspace(), Workspace::Design);
        QCOMPARE(home.layout().cluster.hosts.size(), std::size_t{3});
        QCOMPARE(rankCount(home.layout()), 12);
        QCOMPARE(home.layout().cluster.pace->device, std::string("a100-sxm"));
        QVERIFY(check(home.layout(), scheduleMethods()).empty());
        QVERIFY(home.desk.workbench.search().running() || home.desk.workbench.search().complete());
        home.desk.workbench.search().cancel();
    }

    /// More than 128 nodes could not be asked for.
    void aClusterHasAsManyDevicesAsALayoutHasRanks() {
        Home home;
        ClusterBar& bar = home.view().cluster();
        bar.nodes().setValue(2048);
        bar.model().setCurrentIndex(bar.model().findData(QStringLiteral("llama3.1-405b")));
        QVERIFY(bar.model().currentIndex() > 0);
        QTest::mouseClick(&bar.planButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(home.window.workspace(), Workspace::Design, 60000);
        QCOMPARE(rankCount(home.layout()), 16384);
        QVERIFY(check(home.layout(), scheduleMethods()).empty());
        home.desk.workbench.search().cancel();
        for (const int devices : {1, 7, 8, 72}) {
            bar.devices().setValue(devices);
            bar.nodes().setValue(mostRanks);
            const int all = bar.question().nodes * bar.question().devices;
            QVERIFY(all <= mostRanks && all > mostRanks - devices);
        }
    }

    /// What was opened or designed, as a model's config.json, can be asked for too.
    void theLayoutInDesignOnACluster() {
        Home home;
        ClusterBar& bar = home.view().cluster();
        Layout mine = findPreset("llama-tiny")->layout;
        mine.name = "mine";
        mine.model.layers = 12;
        home.desk.document().replace(mine, {});
        QCOMPARE(bar.model().itemText(0), QStringLiteral("mine (in Design)"));
        bar.model().setCurrentIndex(0);
        bar.nodes().setValue(1);
        bar.devices().setValue(4);
        bar.device().setCurrentIndex(bar.device().findData(QStringLiteral("h200")));
        QTest::mouseClick(&bar.planButton(), Qt::LeftButton);
        QTRY_COMPARE(home.window.workspace(), Workspace::Design);
        QVERIFY(home.layout().model == mine.model);
        QCOMPARE(home.layout().cluster.pace->device, std::string("h200"));
        QCOMPARE(home.layout().cluster.pace->stack, std::string("megatron-core"));
        home.desk.workbench.search().cancel();
    }

    /// A script or a log does not say on which devices: its layout opens for usual ones, and can go elsewhere.
    void aScriptsLayoutCanGoToACluster() {
        Home home;
        QSignalSpy posted(&home.desk.workbench.messages(), &Messages::posted);
        std::ofstream(home.desk.path("train.sh"))
            << "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 64 "
               "--num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 "
               "--global-batch-size 16 --vocab-size 512 --lr 0.001 --train-iters 100 --pipeline-model-parallel-size 2 "
               "--bf16\n";
        home.desk.workbench.open(home.desk.path("train.sh"));
        QCOMPARE(home.window.workspace(), Workspace::Design);
        QCOMPARE(rankCount(home.layout()), 16);
        QCOMPARE(home.layout().cluster.pace->stack, std::string("megatron-core"));
        QCOMPARE(home.layout().cluster.pace->device, std::string("h100-sxm"));
        const ParallelSpec theirs = home.layout().parallel;
        const auto message = posted.back()[0].value<Message>();
        QCOMPARE(message.choices.size(), std::size_t{1});
        message.choices.front().act();
        QCOMPARE(home.window.workspace(), Workspace::Home);
        ClusterBar& bar = home.view().cluster();
        QCOMPARE(bar.model().currentIndex(), 0);
        QCOMPARE(bar.question().nodes, 2);
        QCOMPARE(bar.question().devices, 8);
        bar.device().setCurrentIndex(bar.device().findData(QStringLiteral("h200")));
        QTest::mouseClick(&bar.planButton(), Qt::LeftButton);
        QTRY_COMPARE(home.window.workspace(), Workspace::Design);
        QCOMPARE(home.layout().cluster.pace->device, std::string("h200"));
        QVERIFY(home.layout().parallel == theirs);
        home.desk.workbench.search().cancel();
    }

    void unsavedChangesAreAskedForFirst() {
        Home home;
        Layout changed = home.layout();
        changed.model.layers *= 2;
        home.desk.document().change(changed, QStringLiteral("more layers"));
        QTest::keyClicks(&home.view().gallery().search(), QStringLiteral("gpipe-8"));
        QTest::keyClick(&home.view().gallery().search(), Qt::Key_Return);
        QVERIFY(home.layout() == changed);
        QCOMPARE(home.window.messageArea().count(), 1);
    }

    void theKeyboardReachesEveryPart() {
        Home home;
        QVERIFY(QTest::qWaitForWindowActive(&home.window));
        HomeView& view = home.view();
        home.keep(Layout{}, "tagged.layout.json");
        QTRY_VERIFY(view.recent().tags().isEnabled());
        QSet<QWidget*> missing{&view.cluster().model(),  &view.cluster().nodes(),      &view.cluster().devices(),
                               &view.cluster().device(), &view.cluster().planButton(), &view.gallery().search(),
                               &view.gallery().cards(),  &view.recent().search(),      &view.recent().rows(),
                               &view.recent().tags(),    &view.chapters().rows()};
        home.window.area(Workspace::Home).setFocus();
        for (int press = 0; press < 60 && !missing.isEmpty(); ++press) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            if (QWidget* has = QApplication::focusWidget()) missing.remove(has);
        }
        QStringList names;
        for (const QWidget* part : missing)
            names << part->accessibleName() + QLatin1Char(' ') + part->metaObject()->className();
        QVERIFY2(missing.isEmpty(), qPrintable(names.join(QStringLiteral(", "))));
    }

    /// A card, its list and the whole page once had a frame each.
    void theKeyboardHasOneFrame() {
        Home home;
        home.desk.workbench.theme().setDark(true);
        QVERIFY(QTest::qWaitForWindowActive(&home.window));
        QListWidget& cards = home.view().gallery().cards();
        cards.setFocus(Qt::TabFocusReason);
        QTRY_VERIFY(cards.hasFocus() && cards.currentRow() >= 0);
        QVERIFY(!home.window.area(Workspace::Home).panel("home")->marked());
        const QImage image = cards.grab().toImage();
        const QColor accent = home.desk.workbench.theme().theme().accent;
        for (int x = 0; x < image.width(); ++x) QVERIFY(image.pixelColor(x, 0) != accent);
        const QRect card = cards.visualItemRect(cards.currentItem()).translated(cards.viewport()->pos());
        int framed = 0;
        for (int x = card.left(); x <= card.right(); ++x)
            for (int y = card.top(); y < card.top() + 12; ++y)
                framed += image.rect().contains(x, y) && image.pixelColor(x, y) == accent;
        QVERIFY2(framed > card.width() / 2, qPrintable(QString::number(framed)));
    }

    void screenReadersHearLists() {
        Home home;
        Layout layout;
        home.keep(layout, "heard.layout.json");
        HomeView& view = home.view();
        QTRY_VERIFY(view.chapters().rows().count() > 20);
        for (QListWidget* list : {&view.gallery().cards(), &view.recent().rows(), &view.chapters().rows()}) {
            QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(list);
            QVERIFY(heard);
            QCOMPARE(heard->role(), QAccessible::List);
            QVERIFY(!heard->text(QAccessible::Name).isEmpty());
            QVERIFY(heard->childCount() >= list->count());
            for (int row = 0; row < list->count(); ++row) QVERIFY(!readAloud(*list, row).isEmpty());
        }
        QVERIFY(view.asTable().contains(QStringLiteral("preset\t1f1b-4\tPipelines")));
        QVERIFY(view.asTable().contains(QStringLiteral("recent\theard\t")));
        QVERIFY(view.asTable().contains(QStringLiteral("lesson\tbubble\t")));
    }
};

QTEST_MAIN(HomeViewTest)
#include "home_view_test.moc"
