// SPDX-License-Identifier: Apache-2.0
// The dashboard of a real run, as README shows it. SHARDLAB_REGENERATE=1 keeps it as resources/pictures/dashboard.png.
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab::test;

class DashboardPictureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunIsDrawn() {
        if (!QFile::exists(QStringLiteral(SHARDLAB_BIN_DIR "/shardlab-desktop")))
            QSKIP("shardlab-desktop is not built: no pictures");
        if (QStandardPaths::findExecutable("mpirun").isEmpty()) QSKIP("mpirun is missing: no runs");
        const bool keep = qEnvironmentVariableIsSet("SHARDLAB_REGENERATE");
        QTemporaryDir folder;
        const Answer trained =
            run({"run", "default", "--steps", keep ? "60" : "6", "--out", "run.shardlab", "--json"}, folder.path());
        QVERIFY2(trained.status == 0, trained.error);
        const Answer drawn = run({"export", "run.shardlab", "--format", "png", "--out", "run.png"}, folder.path());
        QVERIFY2(drawn.status == 0, drawn.error);
        const QString file = folder.filePath("run.png");
        const QImage picture(file);
        QVERIFY(picture.width() >= 1280 && picture.height() >= 720);
        // Actions are there in their colours: forward, backward, and the loss curve in forward's blue.
        QVERIFY(shareOf(picture, 0x4C9BE8) >= 0.01);
        QVERIFY(shareOf(picture, 0xF2B134) >= 0.02);
        if (keep) {
            const QString kept = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/pictures/dashboard.png");
            QFile::remove(kept);
            QVERIFY(QFile::copy(file, kept));
        }
    }

private:
    static double shareOf(const QImage& picture, QRgb colour) {
        qint64 found = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) found += (picture.pixel(x, y) & 0xFFFFFF) == colour;
        return double(found) / picture.width() / picture.height();
    }
};

QTEST_GUILESS_MAIN(DashboardPictureTest)
#include "dashboard_picture_test.moc"
