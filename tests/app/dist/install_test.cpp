// SPDX-License-Identifier: Apache-2.0
// What `cmake --install` puts into a prefix works there, wherever the prefix is moved, and knows nothing of the build.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QDirIterator>
#include <QJsonArray>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class InstallTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const QString build = QFileInfo(QStringLiteral(SHARDLAB_BIN_DIR)).path();
        if (!QFile::exists(build + "/app/install/cmake_install.cmake")) QSKIP("sanitized programs are not installed");
        const Answer installed = start("cmake", {"--install", build, "--prefix", folder_.filePath("before")});
        QVERIFY2(installed.status == 0, installed.error);
        QVERIFY(QDir(folder_.path()).rename("before", "moved"));
    }

    void programsFindTheirResourcesAndEachOther() {
        const Answer layouts = installed("shardlab", {"layouts"});
        QVERIFY2(layouts.status == 0 && layouts.out.contains("toy-1x1"), layouts.error);
        QCOMPARE(installed("shardlab-rank", {"--version"}).out, QByteArray("shardlab-rank " SHARDLAB_VERSION "\n"));
        const Answer doctor = installed("shardlab", {"doctor"});
        QVERIFY2(doctor.out.contains((folder_.path() + "/moved/share/shardlab/resources").toUtf8()), doctor.out);
        const Answer trained = installed(
            "shardlab", {"run", "toy-1x1", "--steps", "5", "--out", folder_.filePath("run.shardlab"), "--json"});
        QVERIFY2(trained.status == 0, trained.error);
        QVERIFY(QFile::exists(folder_.filePath("run.shardlab")));
        if (QFile::exists(place("bin/shardlab-desktop"))) {
            const Answer desktop = installed("shardlab-desktop", {"--version"});
            QCOMPARE(desktop.out, QByteArray("shardlab-desktop " SHARDLAB_VERSION "\n"));
        }
    }

    void noProgramKnowsWhereItWasBuilt() {
#ifndef NDEBUG
        QSKIP("assertions of a debug build name their sources");
#endif
        int programs = 0;
        for (QDirIterator each(place("bin")); each.hasNext();) {
            QFile file(each.next());
            if (!each.fileInfo().isFile()) continue;
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray all = file.readAll();
            QVERIFY2(!all.contains(SHARDLAB_SOURCE_DIR "/"), qPrintable(file.fileName()));
            QVERIFY2(!all.contains(SHARDLAB_BIN_DIR), qPrintable(file.fileName()));
            ++programs;
        }
        QVERIFY(programs >= 2);
    }

    void everyVerbHasAPageForMan() {
        const Answer list = installed("shardlab", {"help", "--man"});
        QVERIFY(list.status == 0);
        const QDir pages(place("share/man/man1"));
        const QStringList files = pages.entryList(QDir::Files);
        QVERIFY(files.contains("shardlab.1"));
        QCOMPARE(files.size() - 1, list.out.count("shardlab\\-") - list.out.count("shardlab\\-\\-"));
        for (const QString& name : files) {
            QFile page(pages.filePath(name));
            QVERIFY(page.open(QIODevice::ReadOnly));
            const QByteArray text = page.readAll();
            QVERIFY2(text.startsWith(".TH ") && text.contains(".SH NAME\n") && text.contains(".SH OPTIONS\n"),
                     qPrintable(name));
        }
        if (QStandardPaths::findExecutable("groff").isEmpty()) QSKIP("no groff to print them with");
        for (const QString& name : files) {
            const Answer printed = start("groff", {"-man", "-Kutf8", "-Tutf8", "-ww", pages.filePath(name)});
            QVERIFY2(printed.status == 0 && !printed.error.contains("macro"), printed.error);
        }
    }

    void shellsCompleteVerbsAndOptions() {
        const QString script = place("share/bash-completion/completions/shardlab");
        const auto completed = [&](const QStringList& words) {
            const QString asked = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _shardlab; "
                                  "printf '%s\\n' \"${COMPREPLY[@]}\"";
            return start("bash", QStringList{"-c", asked, script} + words).out.trimmed().split('\n');
        };
        QCOMPARE(completed({"shardlab", "pl"}), (QList<QByteArray>{"plan"}));
        QCOMPARE(completed({"shardlab", "layouts", "--sch"}), (QList<QByteArray>{"--schema"}));
        QVERIFY(completed({"shardlab", "run", "--"}).contains("--resume"));
        for (const auto& [shell, file] : {std::pair{"zsh", "share/zsh/vendor-completions/_shardlab"},
                                          std::pair{"fish", "share/fish/vendor_completions.d/shardlab.fish"}}) {
            QVERIFY2(QFile::exists(place(file)), file);
            if (QStandardPaths::findExecutable(shell).isEmpty()) continue;
            const Answer read = start(shell, {"-n", place(file)});
            QVERIFY2(read.status == 0, read.error);
        }
    }

    void desktopsKnowTheProgramAndItsFiles() {
        if (!QFile::exists(place("bin/shardlab-desktop"))) QSKIP("this build has no desktop");
        for (const char* file :
             {"share/applications/shardlab.desktop", "share/mime/packages/shardlab.xml",
              "share/metainfo/shardlab.metainfo.xml", "share/icons/hicolor/scalable/apps/shardlab.svg"})
            QVERIFY2(QFile::exists(place(file)), file);
        if (!QStandardPaths::findExecutable("desktop-file-validate").isEmpty()) {
            const Answer judged = start("desktop-file-validate", {place("share/applications/shardlab.desktop")});
            QVERIFY2(judged.status == 0, judged.out);
        }
        if (!QStandardPaths::findExecutable("appstreamcli").isEmpty()) {
            const Answer judged =
                start("appstreamcli", {"validate", "--no-net", place("share/metainfo/shardlab.metainfo.xml")});
            QVERIFY2(judged.status == 0, judged.out);
        }
    }

    /// It is not built here: what it names is there, and it brings all that the sources need.
    void theFlatpakNamesWhatIsInstalled() {
        if (!QFile::exists(place("bin/shardlab-desktop"))) QSKIP("this build has no desktop");
        const QString file = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/desktop/org.shardlab.Shardlab.yml");
        if (start("python3", {"-c", "import yaml"}).status != 0) QSKIP("python3 has no yaml");
        const Answer read = start(
            "python3", {"-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))", file});
        QVERIFY2(read.status == 0, read.error);
        const QJsonObject manifest = QJsonDocument::fromJson(read.out).object();
        const QString id = manifest["id"].toString();
        QCOMPARE(QFileInfo(file).completeBaseName(), id);
        QFile metainfo(place("share/metainfo/" + manifest["rename-appdata-file"].toString()));
        QVERIFY(metainfo.open(QIODevice::ReadOnly));
        QVERIFY(metainfo.readAll().contains(("<id>" + id + "</id>").toUtf8()));
        for (const QString& installed :
             {"bin/" + manifest["command"].toString(),
              "share/applications/" + manifest["rename-desktop-file"].toString(),
              "share/icons/hicolor/scalable/apps/" + manifest["rename-icon"].toString() + ".svg"})
            QVERIFY2(QFileInfo(place(installed)).isFile(), qPrintable(installed));

        QStringList brought = words(manifest["x-debian-of-runtime"]) + words(manifest["x-debian-left-out"]);
        const QJsonArray modules = manifest["modules"].toArray();
        for (const QJsonValue module : modules) {
            brought += words(module["x-debian"]);
            for (const QString& command : words(module["post-install"]))
                QVERIFY2(QFileInfo(place(command.section(' ', 1, 1).remove("/app/"))).isFile(), qPrintable(command));
            for (const QJsonValue source : module["sources"].toArray()) {
                if (source["type"] == "dir")
                    QVERIFY(
                        QFile::exists(QFileInfo(file).path() + "/" + source["path"].toString() + "/CMakeLists.txt"));
                if (source["type"] != "archive") continue;
                static const QRegularExpression hash("^[0-9a-f]{64}$");
                QVERIFY2(hash.match(source["sha256"].toString()).hasMatch(), qPrintable(module["name"].toString()));
                QVERIFY(source["url"].toString().startsWith("https://"));
            }
        }
        QCOMPARE(modules.last()["name"].toString(), QStringLiteral("shardlab"));
        QFile packages(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/packages-debian.txt"));
        QVERIFY(packages.open(QIODevice::ReadOnly));
        QString section;
        for (const QString& line : QString::fromUtf8(packages.readAll()).split('\n', Qt::SkipEmptyParts)) {
            if (line.startsWith('#')) section = line;
            else if (section == "# The engine" || section == "# Ranks" || section.startsWith("# The desktop"))
                QVERIFY2(brought.contains(line), qPrintable(line + " is in no module of the Flatpak"));
        }
        if (QStandardPaths::findExecutable("flatpak-builder").isEmpty()) QSKIP("no flatpak-builder to read it with");
        const Answer understood = start("env", {"-C", folder_.path(), "flatpak-builder", "--show-manifest", file});
        QVERIFY2(understood.status == 0 && !understood.error.contains("WARNING"), understood.error);
    }

private:
    static QStringList words(const QJsonValue& list) {
        QStringList all;
        for (const QJsonValue word : list.toArray()) all << word.toString();
        return all;
    }
    QString place(const QString& path) const { return folder_.filePath("moved/" + path); }
    static Answer start(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.start(program, arguments);
        if (!process.waitForFinished(patience)) return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    Answer installed(const QString& name, const QStringList& arguments) const {
        return start(place("bin/" + name), arguments);
    }

    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(InstallTest)
#include "install_test.moc"
