// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of every workspace while nothing has run, with a run, with 256 ranks and after an error, small and large,
// dark and light. In the suite: at one size, and nothing that is written may be cut. `tests/contact-sheet` lets this
// program make a picture of each, at several scales of the screen, and one sheet of them all for people to look at. The
// suite runs it in every language; SHARDLAB_LANGUAGE chooses that of the pictures.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "synthetic_run.h"
#include "tests/ui/sample_precision.h"
#include "tests/support/wings.h"

#include "ui/core/elided_label.h"
#include "ui/window/dock_panel.h"
#include "ui/window/language.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr const char* states[] = {"empty", "running", "256 ranks", "error"};
constexpr const char* themes[] = {"dark", "light"};
/// Sizes of the screen at each scale, in the pixels that widgets count in.
constexpr const char* screens[] = {"1280x720 at 1", "1600x1000 at 1", "2560x1440 at 1", "1280x720 at 1.5",
                                   "1280x720 at 2"};
constexpr QSize tile(200, 125);
constexpr int nameWidth = 170, headHeight = 46, gap = 4;
constexpr int settleMilliseconds = 90;

QString sheetFolder() { return qEnvironmentVariable("SHARDLAB_CONTACT_SHEET"); }

QSize sizeOf(const QString& screen) {
    const QStringList sides = screen.section(QLatin1Char(' '), 0, 0).split(QLatin1Char('x'));
    return {sides[0].toInt(), sides[1].toInt()};
}
double scaleOf(const QString& screen) { return screen.section(QLatin1Char(' '), 2).toDouble(); }

Layout smallLayout() {
    Layout layout;
    layout.name = "gpt-tiny";
    layout.cluster.hosts = {{"node-a", 4}, {"node-b", 4}};
    layout.cluster.pace.emplace();
    layout.parallel.pipeline = 4;
    layout.batch.global = 32;
    layout.precision.compute = NumberFormat::Fp16;
    layout.precision.lossScale = LossScaling::Dynamic;
    return layout;
}

Layout largeLayout() {
    Layout layout = smallLayout();
    layout.name = "gpt on 32 nodes";
    layout.cluster.hosts.clear();
    for (int host = 0; host < 32; ++host) layout.cluster.hosts.push_back({"node" + std::to_string(host), 8});
    layout.model.layers = 16;
    layout.model.heads = 8;
    layout.parallel.data = 4;
    layout.parallel.pipeline = 8;
    layout.parallel.tensor = 8;
    layout.batch.global = 64;
    return layout;
}

void record(Desk& desk, Workspace workspace, int steps, bool failed) {
    const Plan& plan = *desk.document().plan();
    RunModel& model = desk.workbench.model(workspace);
    model.begin(headerOf(plan), plan.simulation.events);
    for (const RankRecord& rank : syntheticRanks(plan)) model.report().setRank(rank);
    const auto events = syntheticRun(plan, steps, 7);
    model.append(std::span(events));
    constexpr int overflowing[]{1};
    sample::addScales(model, overflowing);
    sample::addExponents(model, sample::bell, 4000, 0);
    model.append(std::vector{sample::overflow(model, steps - 1, 1, ActionKind::Backward, 2, 1, 3)});
    if (!failed) return;
    model.report().setRank({1, "node-a", 4001, plan.mesh.label(1), "killed by SIGKILL at step 5, 1F3"});
    model.report().add(
        LogLine{model.recorded().last, 1, LogLevel::Error, "rank 1 was killed by SIGKILL at step 5, 1F3"});
    model.report().setEnd({"failed", "rank 1 was killed by SIGKILL at step 5, 1F3; the others were stopped"});
}

void bringInto(Desk& desk, const QString& state) {
    if (state == QLatin1String("empty")) return;
    const bool large = state == QLatin1String("256 ranks"), failed = state == QLatin1String("error");
    desk.workbench.newFromPreset(large ? largeLayout() : smallLayout());
    QTRY_VERIFY_WITH_TIMEOUT(desk.document().planIsCurrent(), 60'000);
    for (const Workspace workspace : {Workspace::Run, Workspace::Replay, Workspace::Learn})
        record(desk, workspace, large ? 3 : 12, failed);
    if (!failed) return;
    Layout faulty = desk.document().layout();
    faulty.model.heads = 7;
    faulty.batch.global = 15;
    desk.document().change(faulty, QStringLiteral("faults"));
    desk.workbench.startRun();  // which says why not
}

/// What is written in the window and does not fit, without an end in "…" and a tooltip.
QStringList cutTexts(const QWidget& window) {
    QStringList cut;
    const auto judge = [&](const QWidget& widget, const QString& text, int needed) {
        if (!widget.isVisible() || text.isEmpty() || widget.width() >= needed - 1) return;
        // Within what scrolls, or behind another tab, all of it can be brought into sight.
        cut << QStringLiteral("“%1” has %2 of %3 pixels").arg(text).arg(widget.width()).arg(needed);
    };
    for (const auto* label : window.findChildren<QLabel*>())
        if (!label->wordWrap() && !dynamic_cast<const ElidedLabel*>(label) && label->textFormat() != Qt::RichText)
            judge(*label, label->text(), label->sizeHint().width());
    for (const auto* button : window.findChildren<QAbstractButton*>())
        if (!button->text().isEmpty()) judge(*button, button->text(), button->minimumSizeHint().width());
    return cut;
}

QString fileOf(const QString& view, const QString& state, const QString& screen, const QString& theme) {
    const QString name = QStringLiteral("%1_%2_%3_%4.png").arg(view, state, screen, theme);
    return sheetFolder() + QLatin1Char('/') + QString(name).replace(QLatin1Char(' '), QLatin1Char('-'));
}

/// Home, the windows of the workspaces, and the views that stand behind another one's tab.
QStringList rowsOf(MainWindow& window) {
    QStringList rows;
    for (const Workspace workspace : workspaces) {
        rows << name(workspace).toLower();
        for (const DockPanel* panel : window.area(workspace).panels())
            if (!window.area(workspace).tabifiedDockWidgets(const_cast<DockPanel*>(panel)).isEmpty())
                rows << name(workspace).toLower() + QLatin1Char('.') + panel->id();
    }
    return rows;
}

}  // namespace

class ContactSheetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const PrivateSettings settings;
        speak({});
    }
    void everyViewInEveryState_data() {
        QTest::addColumn<QString>("state");
        for (const char* state : states) QTest::newRow(state) << QString::fromLatin1(state);
    }
    void everyViewInEveryState() {
        QFETCH(QString, state);
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        desk.workbench.theme().setDark(true);
        window.show();
        bringInto(desk, state);
        const bool whole = !sheetFolder().isEmpty();
        QStringList cut;
        for (const char* screen : screens) {
            const QString on = QString::fromLatin1(screen);
            if (whole ? !qFuzzyCompare(scaleOf(on), qGuiApp->devicePixelRatio()) : screen != screens[0]) continue;
            window.resize(sizeOf(on));
            for (const char* theme : themes) {
                if (!whole && theme != themes[0]) continue;
                desk.workbench.theme().setDark(theme == themes[0]);
                for (const Workspace workspace : workspaces) picture(window, workspace, state, on, theme, cut);
            }
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    }

    /// One sheet of all pictures that lie in the folder, those of other scales too.
    void sheet() {
        if (sheetFolder().isEmpty()) QSKIP("tests/contact-sheet makes the sheet");
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        const QStringList rows = rowsOf(window);
        const int columns = static_cast<int>(std::size(states) * std::size(screens) * std::size(themes));
        const QSize cell(tile.width() + gap, tile.height() + gap);
        QImage all(nameWidth + columns * cell.width(), headHeight + static_cast<int>(rows.size()) * cell.height(),
                   QImage::Format_RGB32);
        all.fill(Qt::gray);
        QPainter painter(&all);
        painter.setPen(Qt::black);
        for (int row = 0; row < rows.size(); ++row) {
            painter.drawText(QRect(4, headHeight + row * cell.height(), nameWidth - 8, tile.height()),
                             Qt::AlignVCenter | Qt::TextWordWrap, rows[row]);
            int column = 0;
            for (const char* state : states)
                for (const char* screen : screens)
                    for (const char* theme : themes) {
                        const QPoint at(nameWidth + column++ * cell.width(), headHeight + row * cell.height());
                        if (row == 0)
                            painter.drawText(QRect(at.x(), 0, tile.width(), headHeight), Qt::AlignCenter,
                                             QStringLiteral("%1\n%2, %3").arg(state, screen, theme));
                        const QImage picture(fileOf(rows[row], state, screen, theme));
                        if (picture.isNull()) continue;
                        const QImage small = picture.scaled(tile, Qt::KeepAspectRatio, Qt::SmoothTransformation);
                        painter.drawImage(at, small);
                    }
        }
        painter.end();
        QVERIFY(all.save(sheetFolder() + QStringLiteral("/contact-sheet.png")));
    }

private:
    static void picture(MainWindow& window, Workspace workspace, const QString& state, const QString& screen,
                        const QString& theme, QStringList& cut) {
        window.showWorkspace(workspace);
        QTest::qWait(2 * settleMilliseconds);
        const bool whole = !sheetFolder().isEmpty();
        const QString place = name(workspace).toLower();
        const auto take = [&](const QString& view) {
            const QImage image = window.grab().toImage();
            if (whole) QVERIFY(image.save(fileOf(view, state, screen, theme)));
            for (const QString& each : cutTexts(window)) {
                const QString told = QStringLiteral("%1, %2, %3: %4").arg(view, state, screen, each);
                if (!cut.contains(told)) cut << told;
            }
        };
        take(place);
        for (DockPanel* panel : window.area(workspace).panels()) {
            const bool tabbed = !window.area(workspace).tabifiedDockWidgets(panel).isEmpty();
            if (tabbed) {
                panel->raise();  // behind another one's tab it lies outside
                QTest::qWait(settleMilliseconds);
            }
            QVERIFY2(!panel->isVisible() ||
                         window.rect().contains(QRect(panel->mapTo(&window, QPoint()), panel->size())),
                     qPrintable(place + QLatin1Char('.') + panel->id()));
            if (tabbed) take(place + QLatin1Char('.') + panel->id());
        }
    }
};

QTEST_MAIN(ContactSheetTest)
#include "contact_sheet_test.moc"
