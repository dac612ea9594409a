// SPDX-License-Identifier: GPL-3.0-or-later
// A scene painted as pixels is the scene that a painter draws.
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "ui/timeline/scene_pixels.h"

#include <QPainter>
#include <QPicture>
#include <QTest>

#include <algorithm>
#include <functional>
#include <random>

using namespace shardlab::test;

namespace {

const QRect area(37, 21, 400, 260);

/// Shapes anywhere, also across and beyond the edges of the area.
GanttScene randomScene(std::mt19937& random) {
    const auto from = [&random](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    const auto rect = [&] { return QRect(from(-20, 480), from(-20, 320), from(1, 60), from(1, 40)); };
    const auto colour = [&] { return static_cast<std::size_t>(from(0, static_cast<int>(GanttScene::colours) - 1)); };
    GanttScene scene;
    for (int i = 0; i < 20; ++i) scene.idle.push_back(rect());
    for (auto* batches : {&scene.reduces, &scene.bars, &scene.recomputed, &scene.ticks, &scene.predicted})
        for (int i = 0; i < 60; ++i) (*batches)[colour()].push_back(rect());
    for (auto* strips : {&scene.strips, &scene.figures}) {
        for (int i = 0; i < 3; ++i) {
            GanttScene::Strip& strip =
                strips->emplace_back(QRect(from(0, 200), from(0, 280), from(1, 300), from(1, 20)));
            for (int column = 0; column < strip.area.width(); ++column) {
                const int top = strip.area.top() + from(0, strip.area.height());
                strip.fill(strip.area.left() + column, top, strip.area.bottom() + 1, colour());
            }
        }
    }
    for (int i = 0; i < 10; ++i) scene.numbers.push_back({rect(), from(0, 200), colour()});
    return scene;
}

void grid(QPainter& painter) {
    painter.setPen(QColor(90, 90, 90, 120));
    for (int x = 20; x < 480; x += 31) painter.drawLine(x, 0, x, 320);
}

QImage painted(double ratio, const Theme& theme, const std::function<void(QPainter&)>& paint) {
    QImage image(QSize(480, 320) * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(theme.panel.rgb());
    QPainter painter(&image);
    painter.setClipRect(area);
    grid(painter);
    paint(painter);
    return image;
}

}  // namespace

class ScenePixelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areWhatAPainterDraws() {
        const auto seed = freshSeed();
        std::mt19937 random(seed);
        ScenePixels pixels;
        for (const bool dark : {true, false}) {
            const Theme theme = dark ? Theme::darkTheme() : Theme::lightTheme();
            for (int round = 0; round < 20; ++round) {
                const GanttScene scene = randomScene(random);
                const QImage expected =
                    painted(1, theme, [&](QPainter& painter) { paintScene(painter, scene, theme); });
                const QImage actual = painted(
                    1, theme, [&](QPainter& painter) { paintScene(painter, scene, theme, area, grid, pixels); });
                for (int y = 0; y < expected.height(); ++y)
                    for (int x = 0; x < expected.width(); ++x)
                        if (expected.pixel(x, y) != actual.pixel(x, y))
                            QFAIL(qPrintable(QString("seed %1: pixel %2, %3 is %4, not %5")
                                                 .arg(seed)
                                                 .arg(x)
                                                 .arg(y)
                                                 .arg(actual.pixel(x, y), 8, 16)
                                                 .arg(expected.pixel(x, y), 8, 16)));
            }
        }
    }

    /// Where the screen has more pixels than the scene, also one and a half: neighbours touch, and nothing is missing.
    void leaveNoGaps_data() {
        QTest::addColumn<double>("ratio");
        for (const double ratio : {1.0, 1.25, 1.5, 2.0, 3.0}) QTest::addRow("%g", ratio) << ratio;
    }
    void leaveNoGaps() {
        QFETCH(double, ratio);
        const Theme theme = Theme::darkTheme();
        GanttScene scene;
        for (int y = area.top(); y < area.top() + area.height(); y += 13) {
            const int height = std::min(13, area.top() + area.height() - y);
            for (int x = area.left(); x < area.left() + area.width(); x += 7)
                scene.bars[0].emplace_back(x, y, std::min(7, area.left() + area.width() - x), height);
        }
        ScenePixels pixels;
        const QImage image =
            painted(ratio, theme, [&](QPainter& painter) { paintScene(painter, scene, theme, area, grid, pixels); });
        const QRgb colour = image.pixel(QPoint(qRound(area.center().x() * ratio), qRound(area.center().y() * ratio)));
        QVERIFY(colour != theme.panel.rgb());
        const QRect within =
            QRectF(area.left() * ratio + 1, area.top() * ratio + 1, area.width() * ratio - 2, area.height() * ratio - 2)
                .toRect();
        for (int y = within.top(); y < within.bottom(); ++y)
            for (int x = within.left(); x < within.right(); ++x) QCOMPARE(image.pixel(x, y), colour);
    }

    /// A drawing that is kept, or printed, stays one of shapes.
    void areForScreensOnly() {
        std::mt19937 random(freshSeed());
        const GanttScene scene = randomScene(random);
        ScenePixels pixels;
        QPicture picture;
        QPainter painter(&picture);
        paintScene(painter, scene, Theme::darkTheme(), area, grid, pixels);
        QVERIFY(painter.end());
        QVERIFY(pixels.image().isNull());
        QVERIFY(picture.size() > 0);
    }

    /// As the chart of many ranks in a low, narrow window, whose labels take all the room.
    void areNothingWithoutRoom() {
        std::mt19937 random(freshSeed());
        const GanttScene scene = randomScene(random);
        for (const QRect& none : {QRect(40, 20, -7, 30), QRect(40, 20, 30, 0), QRect()}) {
            ScenePixels pixels;
            QImage image(60, 60, QImage::Format_RGB32);
            image.fill(Qt::black);
            QPainter painter(&image);
            paintScene(painter, scene, Theme::darkTheme(), none, grid, pixels);
            QVERIFY(painter.end());
            QVERIFY(pixels.image().isNull());
            QCOMPARE(image.pixel(45, 25), QColor(Qt::black).rgb());
        }
    }
};

QTEST_MAIN(ScenePixelsTest)
#include "scene_pixels_test.moc"
