// SPDX-License-Identifier: Apache-2.0
// What the pages say of resources is true: a dummy device, preset, lesson and page of the manual are there once their
// files are, beside a program as it is installed.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace shardlab::test;

class AddedResourcesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir(folder_.path()).mkpath("share/shardlab") && QDir(folder_.path()).mkdir("bin"));
        QVERIFY(QFile::copy(program(), folder_.filePath("bin/shardlab")));
        std::filesystem::copy(SHARDLAB_SOURCE_DIR "/resources", resource("").toStdString(),
                              std::filesystem::copy_options::recursive);
    }

    void aDeviceIsOneFile() {
        QByteArray device = contentOf("devices/h100-sxm.json");
        QVERIFY(device.contains("NVIDIA H100 SXM 80 GB"));
        QVERIFY(!answer({"devices"}).out.contains("a dummy of a device"));
        add("devices/dummy.json", device.replace("NVIDIA H100 SXM 80 GB", "a dummy of a device"));
        QVERIFY(answer({"devices"}).out.contains("a dummy of a device"));
        const Answer plan = answer({"plan", "default", "--set", "/cluster/pace/device=dummy", "--json"});
        QVERIFY2(plan.status == 0 && plan.out.contains("times are those of a dummy of a device"), plan.error);
    }

    void aPresetIsAFileAndALine() {
        QCOMPARE(answer({"plan", "dummy"}).status, 1);
        add("presets/dummy.layout.json", contentOf("presets/toy-1x1.layout.json").replace("toy 1x1", "a dummy layout"));
        add("presets/index.json",
            contentOf("presets/index.json").replace(0, 1, R"([{"name": "dummy", "summary": "a dummy of a preset"},)"));
        QVERIFY(answer({"layouts"}).out.contains("a dummy of a preset"));
        QVERIFY(answer({"plan", "dummy"}).out.startsWith("a dummy layout\n"));
    }

    void aLessonIsOneFile() {
        QCOMPARE(answer({"learn", "dummy"}).status, 1);
        add("lessons/99-dummy.md", "# A dummy lesson\n\nA step takes {{one.step_time.predicted}}.\n\n"
                                   "```experiment one: the only one\n{}\n```\n");
        QVERIFY(answer({"learn"}).out.trimmed().split('\n').back().startsWith("dummy"));  // its number says where
        const Answer lesson = answer({"learn", "dummy"});
        QVERIFY2(lesson.status == 0 && lesson.out.contains("A dummy lesson"), lesson.error);
    }

    void aPageOfTheManualIsOneFile() {
        QCOMPARE(answer({"help", "dummy"}).status, 2);
        add("manual/99-dummy.md", "# A dummy page\n\nIt says nothing.\n");
        QVERIFY(answer({"help", "dummy"}).out.contains("It says nothing."));
    }

private:
    QString resource(const QString& path) const { return folder_.filePath("share/shardlab/resources/" + path); }
    QByteArray contentOf(const QString& path) const {
        QFile file(resource(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void add(const QString& path, const QByteArray& content) const {
        QVERIFY(!writeFile(resource(path), content).isEmpty());
    }
    Answer answer(const QStringList& arguments) const {
        QProcess process;
        process.start(folder_.filePath("bin/shardlab"), arguments);
        process.waitForFinished(-1);
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }

    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(AddedResourcesTest)
#include "added_resources_test.moc"
