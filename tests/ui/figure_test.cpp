// SPDX-License-Identifier: GPL-3.0-or-later
// A view saved as a figure: in light colours, with its title and axes, without fields and buttons, as shapes and text;
// and the view is afterwards as it was.
#include "desktop_fixture.h"
#include "tests/support/wings.h"
#include "tests/ui/recorded_run.h"

#include "engine/layout/presets.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QAbstractButton>
#include <QImage>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QXmlStreamReader>
#include <QtTest>

#include <map>
#include <set>

using namespace shardlab::test;

namespace {

struct Drawing {
    QString title, box, text;
    int images = 0;
    bool whole = false;
};

Drawing readSvg(const QString& file) {
    Drawing drawing;
    QFile svg(file);
    if (!svg.open(QIODevice::ReadOnly)) return drawing;
    QXmlStreamReader xml(&svg);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QStringLiteral("svg"))
            drawing.box = xml.attributes().value(QStringLiteral("viewBox")).toString();
        if (xml.name() == QStringLiteral("image")) ++drawing.images;
        if (xml.name() == QStringLiteral("title")) drawing.title = xml.readElementText();
        else if (xml.name() == QStringLiteral("text")) drawing.text += xml.readElementText() + QLatin1Char('\n');
    }
    drawing.whole = !xml.hasError();
    return drawing;
}

}  // namespace

class FigureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void viewsAreSavedWithoutTheirControls() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Layout layout = desk.document().layout();
        layout.name = "a layout with a name";
        desk.document().change(layout, QStringLiteral("name"));
        QTRY_VERIFY(desk.document().planIsCurrent());
        WorkspaceArea& area = window.area(Workspace::Design);
        const auto file = [&](const char* name) { return QString::fromStdString(desk.path(name).string()); };
        for (const char* id : {"timeline", "memory_over_time", "schedules", "answer", "mesh", "order", "traffic"}) {
            DockPanel& panel = *area.panel(QString::fromLatin1(id));
            area.showPanel(QString::fromLatin1(id));
            QTest::qWait(60);
            QStringList words;  // on the controls in sight, which are none of the figure's
            for (const auto* button : panel.widget()->findChildren<QAbstractButton*>())
                if (button->isVisible() && button->text().size() > 3) words << button->text();
            for (const auto* field : panel.widget()->findChildren<QLineEdit*>())
                if (field->isVisible() && !field->placeholderText().isEmpty()) words << field->placeholderText();
            const QImage before = panel.widget()->grab().toImage();
            QVERIFY(panel.savePicture(file("figure.svg")));
            const Drawing drawing = readSvg(file("figure.svg"));
            QVERIFY2(drawing.whole, id);
            QCOMPARE(drawing.title, panel.windowTitle());
            QVERIFY2(drawing.text.contains(panel.windowTitle()), id);
            QVERIFY2(drawing.text.contains(QStringLiteral("a layout with a name")), qPrintable(drawing.text));
            for (const QString& word : words)
                QVERIFY2(!drawing.text.contains(word), qPrintable(QString::fromLatin1(id) + ": " + word));
            QVERIFY(panel.savePicture(file("figure.png")));
            const QImage picture(file("figure.png"));
            // It once was empty but for its title, and the views' own colours were missed by nobody.
            std::set<QRgb> colours;
            for (int y = 120; y < picture.height() - 30; y += 3)
                for (int x = 30; x < picture.width() - 30; x += 3) colours.insert(picture.pixel(x, y));
            QVERIFY2(colours.size() > 5, id);
            QVERIFY(picture.width() > 2 * panel.widget()->width() && picture.height() > 2 * panel.widget()->height());
            QVERIFY2(picture.pixelColor(3, 3).lightness() > 240 &&
                         picture.pixelColor(picture.width() / 2, picture.height() - 40).lightness() > 150,
                     id);
            QVERIFY(panel.savePicture(file("figure.pdf")));
            QFile pdf(file("figure.pdf"));
            QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-" && pdf.size() > 2000);
            // The view is as it was: in its colours, with its controls.
            desk.workbench.messages().withdraw(QStringLiteral("written"));
            QTest::qWait(60);
            const QImage after = panel.widget()->grab().toImage();
            QCOMPARE(after.size(), before.size());
            QVERIFY2(after.pixelColor(2, after.height() - 3).lightness() < 80, id);
            for (const QString& word : words) {
                bool there = false;
                for (const auto* button : panel.widget()->findChildren<QAbstractButton*>())
                    there = there || (button->isVisible() && button->text() == word);
                for (const auto* field : panel.widget()->findChildren<QLineEdit*>())
                    there = there || (field->isVisible() && field->placeholderText() == word);
                QVERIFY2(there, qPrintable(word));
            }
        }
    }

    /// Values of facts once were as light in a figure as on the dark panel: white on white.
    void aDarkWindowMakesTheFiguresOfALightOne() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        desk.document().change(findPreset("hybrid-2x4")->layout, QStringLiteral("a preset"));
        recordRun(desk.path("run.shardlab"), *makePlan(desk.document().layout()), 4, 5);
        desk.workbench.openRun(desk.path("run.shardlab"));
        QTRY_VERIFY(!desk.workbench.replay().reading() && desk.document().planIsCurrent());
        const QString file = QString::fromStdString(desk.path("figure.png").string());
        const auto drawn = [&](DockPanel& panel, bool dark) {
            desk.workbench.theme().setDark(dark);
            QTest::qWait(60);
            return panel.savePicture(file) ? QImage(file) : QImage();
        };
        for (const Workspace workspace : {Workspace::Design, Workspace::Replay, Workspace::Learn, Workspace::Home}) {
            window.showWorkspace(workspace);
            WorkspaceArea& area = window.area(workspace);
            std::map<DockPanel*, QImage> light;
            for (const bool dark : {false, true})
                for (DockPanel* panel : area.panels()) {
                    area.showPanel(panel->id());
                    const QImage image = drawn(*panel, dark);
                    QVERIFY(!image.isNull());
                    if (!dark) light[panel] = image;
                    else if (light[panel] == image) continue;
                    // What others did in between may have changed what it shows.
                    else QTRY_VERIFY2(drawn(*panel, false) == drawn(*panel, true), qPrintable(panel->windowTitle()));
                }
        }
    }

    /// The hatching of bubbles was missing in an SVG: it was a tile of pixels, which that has no brush for.
    void bubblesAreHatchedInADrawing() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        desk.document().change(findPreset("gpipe-4")->layout, QStringLiteral("a preset"));
        QTRY_VERIFY(desk.document().planIsCurrent());
        QTest::qWait(100);
        const QString file = QString::fromStdString(desk.path("figure.svg").string());
        QVERIFY(window.area(Workspace::Design).panel(QStringLiteral("timeline"))->savePicture(file));
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QString drawing = QString::fromUtf8(svg.readAll());
        const QColor idle = Theme::lightTheme().idle;
        QVERIFY(drawing.contains(QStringLiteral("fill=\"%1\"").arg(idle.name())));
        QVERIFY(drawing.contains(QStringLiteral("stroke=\"%1\"").arg(idle.darker(112).name())));
    }

    /// A column of pixels each once showed its edges, and made a drawing of a megabyte.
    void memoryOverTimeIsAFewShapes() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        QTest::qWait(100);
        const QString file = QString::fromStdString(desk.path("figure.svg").string());
        QVERIFY(window.area(Workspace::Design).panel(QStringLiteral("memory_over_time"))->savePicture(file));
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray drawing = svg.readAll();
        QVERIFY2(drawing.count("<path") + drawing.count("<rect") < 100, QByteArray::number(drawing.size()));
    }

    /// Candidates showed its filter again as it drew itself in other colours.
    void aFilterThatComesBackIsLeftOut() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        window.commands()["plan.search"].trigger();
        DockPanel& panel = *window.area(Workspace::Design).panel(QStringLiteral("candidates"));
        const auto filter = [&] {
            for (const auto* field : panel.widget()->findChildren<QLineEdit*>())
                if (field->isVisible()) return field->placeholderText();
            return QString();
        };
        QTRY_VERIFY(!desk.workbench.search().running() && !filter().isEmpty());
        const QString file = QString::fromStdString(desk.path("figure.svg").string());
        QVERIFY(panel.savePicture(file));
        const QString drawn = readSvg(file).text;
        QVERIFY2(drawn.contains(QStringLiteral("tokens/s")) && !drawn.contains(filter()), qPrintable(drawn));
    }

    /// What is scrolled in the window once ended in the midst of a line, or ran over the edge of the drawing.
    void whatIsScrolledIsWhole() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 720);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        DockPanel& panel = *window.area(Workspace::Design).panel(QStringLiteral("layout_form"));
        const QSize before = panel.widget()->size();
        QScrollBar& bar = *panel.widget()->findChild<QScrollArea*>()->verticalScrollBar();
        bar.setValue(150);
        const QString file = QString::fromStdString(desk.path("figure.svg").string());
        QVERIFY(panel.savePicture(file));
        const Drawing drawing = readSvg(file);
        for (const char* words : {"LAYOUT", "MODEL", "RUN", "Learning rate", "Seed"})
            QVERIFY2(drawing.text.contains(QString::fromLatin1(words)), words);
        QVERIFY(!drawing.text.contains(QStringLiteral("find a field")));
        QVERIFY(drawing.box.section(QLatin1Char(' '), 3).toInt() > before.height());
        QCOMPARE(panel.widget()->size(), before);
        QCOMPARE(bar.value(), 150);
    }

    /// A form of one column was four times as high as it is wide, more than any page.
    void aFormIsNoHigherThanWide() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 720);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        DockPanel& panel = *window.area(Workspace::Design).panel(QStringLiteral("layout_form"));
        const QString file = QString::fromStdString(desk.path("figure.svg").string());
        QVERIFY(panel.savePicture(file));
        const QString box = readSvg(file).box;
        const int width = box.section(QLatin1Char(' '), 2, 2).toInt(),
                  height = box.section(QLatin1Char(' '), 3).toInt();
        QVERIFY2(height < width && width < 3 * height, qPrintable(box));
        // Each line of text has a place of its own within the drawing.
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        static const QRegularExpression placed(
            QStringLiteral(R"re(transform="matrix\(1,0,0,1,([-0-9.]+),([-0-9.]+)\)"[^>]*>\s*)re"
                           R"re(<text[^>]* x="([-0-9.]+)" y="([-0-9.]+)")re"));
        std::set<std::pair<int, int>> places;
        int texts = 0;
        for (auto each = placed.globalMatch(QString::fromUtf8(svg.readAll())); each.hasNext(); ++texts) {
            const QRegularExpressionMatch at = each.next();
            const int x = qRound(at.captured(1).toDouble() + at.captured(3).toDouble());
            const int y = qRound(at.captured(2).toDouble() + at.captured(4).toDouble());
            QVERIFY2(x > 0 && x < width && y > 0 && y < height, qPrintable(at.captured()));
            places.emplace(x, y);
        }
        QVERIFY2(texts > 60 && static_cast<int>(places.size()) == texts, qPrintable(QString::number(texts)));
    }

    /// Axes are the scale of a chart: their numbers are text of the drawing.
    void chartsKeepTheirScale() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        WorkspaceArea& area = window.area(Workspace::Design);
        QTest::qWait(200);
        static const QRegularExpression time(QStringLiteral("[0-9.]+ (ns|µs|ms|s)\n"));
        const QString file = QString::fromStdString(desk.path("scale.svg").string());
        QVERIFY(area.panel(QStringLiteral("timeline"))->savePicture(file));
        QVERIFY2(readSvg(file).text.count(time) >= 3, qPrintable(readSvg(file).text));
    }

    /// Where a figure cannot be written the window says so, and why.
    void aFigureThatCannotBeWrittenIsAMessage() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        QTRY_VERIFY(desk.document().planIsCurrent());
        DockPanel& panel = *window.area(Workspace::Design).panel(QStringLiteral("timeline"));
        for (const char* name : {"no folder/figure.svg", "no folder/figure.png"}) {
            const QString file = QString::fromStdString(desk.path(name).string());
            QVERIFY(!panel.savePicture(file));
            const QStringList texts = window.messageArea().texts();
            QCOMPARE(texts.size(), 1);
            QVERIFY2(texts.front().contains(QStringLiteral("Cannot save ") + QFileInfo(file).fileName()),
                     qPrintable(texts.front()));
        }
        // One that is written is told too, with its place.
        const QString file = QString::fromStdString(desk.path("figure.pdf").string());
        QVERIFY(panel.savePicture(file));
        const QStringList texts = window.messageArea().texts();
        QCOMPARE(texts.size(), 1);
        QVERIFY2(texts.front().contains(QStringLiteral("figure.pdf was saved")) && texts.front().contains(file),
                 qPrintable(texts.front()));
    }

    /// After a click into a view that takes no keys, Ctrl+E once saved the timeline.
    void aClickedViewIsTheOneInUse() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTRY_VERIFY(desk.document().planIsCurrent());
        WorkspaceArea& area = window.area(Workspace::Design);
        for (const char* id : {"answer", "sliders", "memory_per_rank", "timeline"}) {
            View& view = area.panel(QString::fromLatin1(id))->view();
            QWidget* clicked = view.childAt(view.width() / 2, view.height() - 3);
            QTest::mouseClick(clicked ? clicked : &view, Qt::LeftButton);
            QCOMPARE(area.focused(), QString::fromLatin1(id));
        }
    }

    /// The label of a step whose end alone was in sight took the place of that of the whole step behind it.
    void aWholeStepInSightIsNamed() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 800);
        window.show();
        recordRun(desk.path("run.shardlab"), *desk.document().plan(), 8, 5);
        desk.workbench.openRun(desk.path("run.shardlab"));
        QTRY_VERIFY(!desk.workbench.replay().reading() && desk.workbench.replay().file() == desk.path("run.shardlab"));
        const StepExtent whole = desk.workbench.model(Workspace::Replay).steps().extents()[4];
        const std::int64_t length = whole.end - whole.begin;
        Selection& selection = desk.workbench.selection(Workspace::Replay);
        selection.setFollowLive(false);
        const QString file = QString::fromStdString(desk.path("steps.svg").string());
        for (int percent = 1; percent <= 30; percent += 2) {
            const std::int64_t begin = whole.begin - length * percent / 100;
            QString drawn;
            // The window shows the end of a run once it has been read, which may come after that was asked for.
            const auto named = [&] {
                selection.setVisible({begin, begin + 2 * length});
                QTest::qWait(30);
                if (!window.area(Workspace::Replay).panel(QStringLiteral("timeline"))->savePicture(file)) return false;
                drawn = readSvg(file).text;
                return drawn.contains(QStringLiteral("step 4\n"));
            };
            QTRY_VERIFY2(named(), qPrintable(QString::number(percent) + drawn));
        }
    }

    void formsKeepTheirFields() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        QTest::qWait(100);
        const QString file = QString::fromStdString(desk.path("form.svg").string());
        QVERIFY(window.area(Workspace::Design).panel(QStringLiteral("layout_form"))->savePicture(file));
        const QString drawn = readSvg(file).text;
        QVERIFY2(drawn.contains(QString::fromStdString(desk.document().layout().name)), qPrintable(drawn));
    }
};

QTEST_MAIN(FigureTest)
#include "figure_test.moc"
