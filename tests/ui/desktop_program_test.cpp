// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop as a program: its command line, its exit status, pictures of runs.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "synthetic_run.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QtTest>

using namespace shardlab::test;

class DesktopProgramTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void helpAndVersion();
    void wrongUseIsStatusTwo_data();
    void wrongUseIsStatusTwo();
    void withoutADisplayItSaysSo();
    void rendersARun();
    void badRunsAreOneLine();

private:
    struct Answer {
        int status;
        QString out, err;
    };
    static Answer ask(const QStringList& arguments, const QProcessEnvironment& environment = bare()) {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(SHARDLAB_BIN_DIR "/shardlab-desktop"), arguments);
        const bool ended = process.waitForFinished(patience);
        return {ended && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
    }
    /// Without any display.
    static QProcessEnvironment bare() {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        return environment;
    }
};

void DesktopProgramTest::helpAndVersion() {
    const Answer help = ask({"--help"});
    QCOMPARE(help.status, 0);
    for (const char* option : {"--run", "--render", "--print", "--out", "--size", "--light", "--version", "FILE"})
        QVERIFY2(help.out.contains(QLatin1String(option)), option);
    const Answer version = ask({"--version"});
    QCOMPARE(version.status, 0);
    QVERIFY(version.out.contains(QStringLiteral(SHARDLAB_VERSION)));
}

void DesktopProgramTest::wrongUseIsStatusTwo_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("unknown option") << QStringList{"--no-such-option"};
    QTest::newRow("render without out") << QStringList{"--render", "a.shardlab"};
    QTest::newRow("print without out") << QStringList{"--print", "a.html"};
    QTest::newRow("print and render") << QStringList{"--print", "a.html", "--render", "a.shardlab", "--out", "b"};
    QTest::newRow("out without render") << QStringList{"--out", "a.png"};
    QTest::newRow("size that is none") << QStringList{"--render", "a", "--out", "b", "--size", "wide"};
    QTest::newRow("size too small") << QStringList{"--render", "a", "--out", "b", "--size", "10x10"};
    QTest::newRow("two files") << QStringList{"a", "b"};
}

void DesktopProgramTest::wrongUseIsStatusTwo() {
    QFETCH(QStringList, arguments);
    const Answer answer = ask(arguments);
    QCOMPARE(answer.status, 2);
    QVERIFY(!answer.err.isEmpty());
}

void DesktopProgramTest::withoutADisplayItSaysSo() {
    const Answer answer = ask({});
    QCOMPARE(answer.status, 1);
    QVERIFY(answer.err.contains(QStringLiteral("no display")));
    QVERIFY(answer.err.contains(QStringLiteral("--render")));
    QCOMPARE(answer.err.count('\n'), 1);

    QProcessEnvironment nowhere = bare();
    nowhere.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4242"));
    const Answer unanswered = ask({}, nowhere);
    QCOMPARE(unanswered.status, 1);
    QVERIFY2(unanswered.err.contains(QStringLiteral(":4242")), qPrintable(unanswered.err));
    QCOMPARE(unanswered.err.count('\n'), 1);
}

void DesktopProgramTest::rendersARun() {
    Desk desk;
    const auto plan = makePlan(Layout{});
    const auto file = desk.path("run.shardlab");
    {
        auto writer = RunWriter::create(file, headerOf(*plan));
        QVERIFY(writer.has_value());
        const auto events = syntheticRun(*plan, 12, 3);
        QVERIFY((*writer)->appendPredicted(plan->simulation.events).has_value());
        QVERIFY((*writer)->append(std::span(events)).has_value());
        QVERIFY((*writer)->finish({"finished", ""}).has_value());
    }
    const QString dark = QString::fromStdString(desk.path("dark.png").string());
    const QString light = QString::fromStdString(desk.path("light.png").string());
    const QString run = QString::fromStdString(file.string());
    const Answer first = ask({"--render", run, "--out", dark, "--size", "1280x720"});
    QVERIFY2(first.status == 0, qPrintable(first.err));
    QCOMPARE(ask({"--render", run, "--out", light, "--light"}).status, 0);
    QCOMPARE(QImage(dark).size(), QSize(1280, 720));
    QCOMPARE(QImage(light).size(), QSize(1600, 1000));
    QVERIFY(QImage(dark).pixelColor(3, 200).lightness() < QImage(light).pixelColor(3, 200).lightness());
    const Answer unwritable = ask({"--render", run, "--out", "/no/such/folder/x.png"});
    QCOMPARE(unwritable.status, 1);
    QVERIFY(unwritable.err.contains(QStringLiteral("/no/such/folder/x.png")));
}

void DesktopProgramTest::badRunsAreOneLine() {
    Desk desk;
    const QString bad = QString::fromStdString(desk.path("bad.shardlab").string());
    QFile file(bad);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no run");
    file.close();
    for (const QString& name : {bad, QStringLiteral("/no/such/file.shardlab")}) {
        const Answer answer = ask({"--render", name, "--out", QString::fromStdString(desk.path("x.png").string())});
        QCOMPARE(answer.status, 1);
        QVERIFY2(answer.err.contains(name), qPrintable(answer.err));
        QVERIFY(!QFile::exists(QString::fromStdString(desk.path("x.png").string())));
    }
}

QTEST_MAIN(DesktopProgramTest)
#include "desktop_program_test.moc"
