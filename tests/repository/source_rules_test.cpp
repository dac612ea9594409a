// SPDX-License-Identifier: Apache-2.0
// Rules of the house that the compiler does not know: which room may include which, no Qt below ui/, licences, sizes.
#include "tests/support/patience.h"
#include "tests/support/places.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

namespace {

struct Source {
    QString path;  ///< from the repository's root
    QStringList lines;
};

const QString root = QStringLiteral(SHARDLAB_SOURCE_DIR);

QList<Source> sourcesUnder(const QStringList& folders, const QStringList& patterns) {
    QList<Source> sources;
    for (const QString& folder : folders) {
        QDirIterator iterator(root + "/" + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (iterator.hasNext()) {
            QFile file(iterator.next());
            if (!file.open(QIODevice::ReadOnly)) continue;
            sources.append(
                {QDir(root).relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()).split('\n')});
        }
    }
    return sources;
}

const QList<Source>& codeFiles() {
    static const QList<Source> files =
        sourcesUnder({"engine", "kernels", "ui", "app", "tests"}, {"*.h", "*.cpp", "*.cu", "*.cuh"});
    return files;
}

QStringList includesOf(const Source& source) {
    static const QRegularExpression include("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
    QStringList names;
    for (const QString& line : source.lines)
        if (const auto match = include.match(line); match.hasMatch()) names.append(match.captured(1));
    return names;
}

/// The wing "engine/trace" for files of the engine, else the first folder: "kernels", "ui", "app".
QString wingOf(const QString& path) {
    const QStringList parts = path.split('/');
    return parts.front() == "engine" && parts.size() > 2 ? parts[0] + "/" + parts[1] : parts.front();
}

/// The room "engine/trace/event" of a wing; the wing itself for what lies in no room.
QString roomOf(const QString& path) {
    const QStringList parts = path.split('/');
    return parts.front() == "engine" && parts.size() > 3 ? parts[0] + "/" + parts[1] + "/" + parts[2] : wingOf(path);
}

/// What each wing may include besides itself. The compiler sees to it too: engine/CMakeLists.txt.
const QMap<QString, QSet<QString>>& wings() {
    static const QMap<QString, QSet<QString>> allowed = [] {
        const QSet<QString> layout{"engine/base"};
        const QSet<QString> trace = layout | QSet<QString>{"engine/layout"};
        const QSet<QString> predict = trace | QSet<QString>{"engine/trace"};
        const QSet<QString> above = predict | QSet<QString>{"engine/predict"};
        return QMap<QString, QSet<QString>>{
            {"kernels", {}},
            {"engine/base", {}},
            {"engine/layout", layout},
            {"engine/trace", trace},
            {"engine/predict", predict},
            {"engine/launch", above},
            {"engine/train", above | QSet<QString>{"kernels"}},
            {"ui", above | QSet<QString>{"engine/launch"}},
        };
    }();
    return allowed;
}

/// What each room may include of its own wing besides itself.
const QMap<QString, QSet<QString>>& rooms() {
    static const QMap<QString, QSet<QString>> allowed = [] {
        const QSet<QString> layout{"engine/layout", "engine/layout/check", "engine/layout/fields",
                                   "engine/layout/mesh"};
        const QSet<QString> event{"engine/trace/event"};
        const QSet<QString> run = event | QSet<QString>{"engine/trace/metrics", "engine/trace/run_file"};
        const QSet<QString> jobs{"engine/launch/hosts", "engine/launch/link", "engine/launch/serve"};
        const QSet<QString> model{"engine/train/comm", "engine/train/model"};
        return QMap<QString, QSet<QString>>{
            {"engine/base", {}},
            {"engine/layout", layout},
            {"engine/layout/check", layout},
            {"engine/layout/data", layout},
            {"engine/layout/fields", layout},
            {"engine/layout/mesh", layout},
            {"engine/layout/schedule", layout},
            {"engine/trace/checkpoint", {}},
            {"engine/trace/event", {}},
            {"engine/trace/record", event},
            {"engine/trace/metrics", event},
            {"engine/trace/run_file", run},
            {"engine/trace/query", run},
            {"engine/trace/analysis", run},
            {"engine/trace/trainers", {"engine/trace/checkpoint"}},
            {"engine/trace/interchange", run | QSet<QString>{"engine/trace/query", "engine/trace/trainers"}},
            {"engine/trace/dumps", {"engine/trace/interchange"}},
            {"engine/predict/plan", {}},
            {"engine/predict/search", {"engine/predict/plan"}},
            {"engine/predict/evidence", {"engine/predict/search"}},
            {"engine/launch/hosts", {}},
            {"engine/launch/link", {}},
            {"engine/launch/serve", {"engine/launch/link", "engine/launch/hosts"}},
            {"engine/launch/tls", {"engine/launch/link"}},
            {"engine/launch/job", jobs},
            {"engine/launch/lesson", jobs | QSet<QString>{"engine/launch/job"}},
            {"engine/train/comm", {}},
            {"engine/train/model", model},
            {"engine/train/optim", model},
            {"engine/train/parallel", model},
            {"engine/train/run", model | QSet<QString>{"engine/train/optim", "engine/train/parallel"}},
        };
    }();
    return allowed;
}

}  // namespace

class SourceRulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void includesRunOneWay() {
        QStringList wrong;
        int checked = 0;
        for (const Source& source : codeFiles()) {
            const QString wing = wingOf(source.path), room = roomOf(source.path);
            if (!wings().contains(wing)) continue;  // app and tests may read everything
            if (wing.startsWith("engine/") && !rooms().contains(room)) wrong.append(room + " is not on the ladder");
            for (const QString& include : includesOf(source)) {
                const QString target = wingOf(include);
                if (!include.contains('/') || !(wings().contains(target) || target == "app" || target == "tests"))
                    continue;
                ++checked;
                const bool right = target != wing
                                       ? wings()[wing].contains(target)
                                       : room == roomOf(include) || rooms()[room].contains(roomOf(include)) ||
                                             !wing.startsWith("engine/");
                if (!right) wrong.append(source.path + " includes " + include);
            }
        }
        QVERIFY2(checked > 100, "no includes were found: the test looks at the wrong place");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void noQtBelowTheUserInterface() {
        static const QRegularExpression qt("^(Q[A-Z]\\w*|Qt\\w*/.*|qcustomplot\\.h|q\\w+\\.h)$");
        QStringList wrong;
        for (const Source& source : codeFiles()) {
            const bool below = source.path.startsWith("engine/") || source.path.startsWith("kernels/") ||
                               source.path.startsWith("app/cli/") || source.path == "app/rank.cpp";
            if (!below) continue;
            for (const QString& include : includesOf(source))
                if (qt.match(include).hasMatch()) wrong.append(source.path + " includes " + include);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void thePlanningHalfKnowsNoMpiAndNoCuda() {
        QStringList wrong;
        for (const Source& source : codeFiles()) {
            const QString wing = wingOf(source.path);
            const bool training =
                wing == "engine/train" || wing == "kernels" || wing == "tests" || source.path == "app/rank.cpp";
            if (training) continue;
            for (const QString& include : includesOf(source))
                if (include == "mpi.h" || include.startsWith("cuda") || include.startsWith("nccl"))
                    wrong.append(source.path + " includes " + include);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void everySourceNamesItsLicence() {
        QStringList wrong;
        QList<Source> sources = codeFiles();
        sources += sourcesUnder({"engine", "kernels", "ui", "app", "tests"}, {"CMakeLists.txt", "*.cmake"});
        for (const Source& source : sources) {
            const QStringList includes = includesOf(source);
            const bool usesViews = std::any_of(includes.begin(), includes.end(),
                                               [](const QString& include) { return include.startsWith("ui/"); });
            const bool gpl = source.path.startsWith("ui/") || source.path == "app/desktop.cpp" ||
                             source.path.startsWith("tests/ui/") || usesViews;
            const QString expected = QString("SPDX-License-Identifier: ") + (gpl ? "GPL-3.0-or-later" : "Apache-2.0");
            if (!source.lines.front().endsWith(expected))
                wrong.append(source.path + " does not begin with " + expected);
        }
        for (const char* script : {"app/start", "tests/run", "tests/tidy", "tests/gpu/run", "tests/gpu/pack",
                                   "tests/gpu/rehearse", "tests/fuzz/run", ".ci/run"}) {
            QFile file(root + "/" + script);
            QVERIFY2(file.open(QIODevice::ReadOnly), script);
            file.readLine();  // #!
            if (!file.readLine().contains("SPDX-License-Identifier: Apache-2.0"))
                wrong.append(QString(script) + " does not name Apache-2.0 in its second line");
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void documentsLinkToWhatIsThere() {
        static const QRegularExpression link("\\]\\(([^)#:]+)\\)");
        QStringList wrong;
        QStringList documents{"README.md", "CONTRIBUTING.md"};
        for (const QString& wing : wings().keys())
            if (wing.startsWith("engine/") || wing == "ui") documents.append(wing + "/README.md");
        for (const QString& page : QDir(root + "/resources/manual").entryList({"*.md"}))
            documents.append("resources/manual/" + page);
        for (const QString& name : documents) {
            QFile file(root + "/" + name);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name + ": every wing has a page"));
            const QString text = QString::fromUtf8(file.readAll());
            if (name.count('/') && !name.startsWith("resources/") && text.count('\n') > 40)
                wrong.append(name + " has more than 40 lines");
            auto matches = link.globalMatch(text);
            while (matches.hasNext())
                if (const QString target = matches.next().captured(1);
                    !QFile::exists(QFileInfo(file).path() + "/" + target))
                    wrong.append(name + " links to " + target + ", which is not there");
        }
        QVERIFY(QFile::exists(root + "/resources/manual/70-run-file.md"));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    /// A machine with nvcc and no back end was told by doctor to build with nvcc.
    void startBuildsWhatRanksLoad() {
        QFile start(root + "/app/start");
        QVERIFY(start.open(QIODevice::ReadOnly));
        QVERIFY(start.readAll().contains("--target programs "));
        QProcess ninja;
        const QString build = QDir(QStringLiteral(SHARDLAB_BIN_DIR)).filePath("..");
        ninja.start("ninja", {"-C", build, "-t", "query", "app/programs"});
        if (!ninja.waitForFinished(-1) || ninja.exitCode() != 0) QSKIP("this is no build of ninja's");
        const QByteArray needed = ninja.readAllStandardOutput();
        for (const char* program : {"bin/shardlab\n", "bin/shardlab-rank\n"})
            QVERIFY2(needed.contains(program), needed.constData());
        ninja.start("ninja", {"-C", build, "-t", "query", "shardlab_cuda"});
        QVERIFY(ninja.waitForFinished(-1));
        const bool cudaIsBuilt = ninja.exitCode() == 0;
        QCOMPARE(needed.contains("libshardlab_cuda.so"), cudaIsBuilt);
    }

    /// Two types of one name are one to the linker, which keeps the functions of either for both.
    void everyTypeHasANameOfItsOwn() {
        static const QRegularExpression opens("^(?:inline )?namespace ?([\\w:]*) ?\\{$"), closes("^\\}  // namespace"),
            type("^(?:struct|class|enum class|union) (\\w+)(?![\\w:])[^;(]*\\{");
        QMap<QString, QString> places;
        const auto read = [&](const Source& source, bool remember) {
            QStringList names;
            for (const QString& line : source.lines) {
                if (const auto match = opens.match(line); match.hasMatch()) names.append(match.captured(1));
                else if (closes.match(line).hasMatch() && !names.isEmpty()) names.removeLast();
                const auto match = type.match(line);
                if (!match.hasMatch() || names.contains(QString())) continue;
                const QString name = names.join("::") + "::" + match.captured(1);
                const QString other = places.value(name);
                QVERIFY2(other.isEmpty() || other == source.path,
                         qPrintable(name + " is defined in " + other + " and in " + source.path));
                if (remember) places.insert(name, source.path);
            }
        };
        for (const Source& source : codeFiles())
            if (roomOf(source.path) != "tests") read(source, true);
        QVERIFY(places.size() > 300);
        // A test is one program; what stands in for another part of it is meant to.
        for (const Source& source : codeFiles())
            if (roomOf(source.path) == "tests" && !source.path.startsWith("tests/gpu/emulated_")) read(source, false);
    }

    /// What a test draws can be drawn again: chance has one source. Threads that stand in for a GPU's streams are meant
    /// to differ.
    void chanceOfTestsCanBeRepeated() {
        QStringList wrong;
        for (const Source& source : codeFiles()) {
            if (roomOf(source.path) != "tests" || source.path.startsWith("tests/gpu/emulated_") ||
                source.path.startsWith("tests/bench/"))
                continue;
            if (source.path == "tests/support/seed.h" || source.path == "tests/repository/source_rules_test.cpp")
                continue;
            for (const QString& line : source.lines)
                if (line.contains("random_device") || line.contains("QRandomGenerator::global"))
                    wrong.append(source.path + " draws what SHARDLAB_TEST_SEED does not repeat: freshSeed() does");
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    /// Another version of clang-format lays code out otherwise, so that only Debian 12's judges it.
    void codeIsFormatted() {
        QProcess format;
        format.start("clang-format", {"--version"});
        if (!format.waitForFinished(-1)) QSKIP("clang-format is missing: nobody judges the layout");
        if (!format.readAllStandardOutput().contains(" version 14."))
            QSKIP("clang-format is another than version 14, and would lay the code out otherwise");
        QStringList arguments{"--dry-run", "-Werror"};
        for (const Source& source : codeFiles()) arguments.append(root + "/" + source.path);
        format.start("clang-format", arguments);
        QVERIFY(format.waitForFinished(-1));
        QVERIFY2(format.exitStatus() == QProcess::NormalExit && format.exitCode() == 0,
                 format.readAllStandardError().left(4000).constData());
    }

    void commentsNameTheirSubject() {
        static const QRegularExpression dependent("^\\s*//[/<]*\\s*Of ");
        QStringList wrong;
        int comments = 0;
        for (const Source& source :
             sourcesUnder({"kernels", "engine/base", "engine/predict", "engine/train/comm", "ui"},
                          {"*.h", "*.cpp", "*.cu", "*.cuh"}))
            for (qsizetype line = 0; line < source.lines.size(); ++line) {
                comments += source.lines[line].trimmed().startsWith("//") ? 1 : 0;
                if (dependent.match(source.lines[line]).hasMatch())
                    wrong.append(source.path + ':' + QString::number(line + 1) + source.lines[line]);
            }
        QVERIFY(comments > 500);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void filesAreOneThing() {
        QStringList wrong;
        for (const Source& source : codeFiles())
            if (source.lines.size() > 500)
                wrong.append(QString("%1 has %2 lines").arg(source.path).arg(source.lines.size()));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
};

QTEST_GUILESS_MAIN(SourceRulesTest)
#include "source_rules_test.moc"
