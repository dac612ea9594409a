// SPDX-License-Identifier: Apache-2.0
// Rules of the house that the compiler does not know: which room may include which, no Qt below ui/, licences, sizes.
#include "tests/support/places.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
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
            sources.append({QDir(root).relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()).split('\n')});
        }
    }
    return sources;
}

const QList<Source>& codeFiles() {
    static const QList<Source> files = sourcesUnder({"engine", "kernels", "ui", "app", "tests"}, {"*.h", "*.cpp", "*.cu", "*.cuh"});
    return files;
}

QStringList includesOf(const Source& source) {
    static const QRegularExpression include("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
    QStringList names;
    for (const QString& line : source.lines)
        if (const auto match = include.match(line); match.hasMatch()) names.append(match.captured(1));
    return names;
}

/// "engine/run" for files of the engine, else the first folder: "kernels", "ui", "app".
QString roomOf(const QString& path) {
    const QStringList parts = path.split('/');
    return parts.front() == "engine" && parts.size() > 2 ? parts[0] + "/" + parts[1] : parts.front();
}

/// What each room may include besides itself.
const QMap<QString, QSet<QString>>& ladder() {
    static const QMap<QString, QSet<QString>> allowed = [] {
        const QSet<QString> base{"engine/base"};
        const QSet<QString> layout = base | QSet<QString>{"engine/layout"};
        const QSet<QString> checkpoint = layout | QSet<QString>{"engine/checkpoint"};
        const QSet<QString> schedule = layout | QSet<QString>{"engine/schedule"};
        const QSet<QString> event = schedule | QSet<QString>{"engine/event"};
        const QSet<QString> record = event | QSet<QString>{"engine/record"};
        const QSet<QString> figures = event | QSet<QString>{"engine/figures"};
        const QSet<QString> run = figures | QSet<QString>{"engine/run"};
        const QSet<QString> plan = figures | QSet<QString>{"engine/plan"};
        const QSet<QString> launch = run | record | plan | checkpoint | QSet<QString>{"engine/analysis", "engine/serve", "engine/hosts"};
        const QSet<QString> planning = launch | QSet<QString>{"engine/query", "engine/search", "engine/interchange", "engine/launch", "engine/lesson"};
        const QSet<QString> comm = base | QSet<QString>{"engine/comm", "kernels"};  // arrays and devices
        const QSet<QString> model = comm | QSet<QString>{"engine/model", "engine/layout"};
        const QSet<QString> training = model | plan | record | checkpoint | QSet<QString>{"engine/optim", "engine/parallel", "engine/train"};
        return QMap<QString, QSet<QString>>{
            {"kernels", {}},
            {"engine/base", {}},
            {"engine/layout", base},
            {"engine/checkpoint", layout},
            {"engine/schedule", layout},
            {"engine/event", schedule},
            {"engine/record", event},
            {"engine/figures", event},
            {"engine/run", figures},
            {"engine/query", run},
            {"engine/analysis", run},
            {"engine/plan", figures},
            {"engine/search", plan},
            {"engine/interchange", run | QSet<QString>{"engine/query"}},
            {"engine/serve", run | record},
            {"engine/hosts", record},
            {"engine/launch", launch},
            {"engine/lesson", launch | QSet<QString>{"engine/launch"}},
            {"engine/comm", base | QSet<QString>{"kernels"}},
            {"engine/model", model},
            {"engine/optim", model},
            {"engine/parallel", model},
            {"engine/train", training},
            {"ui", planning},
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
            const QString room = roomOf(source.path);
            if (!ladder().contains(room)) continue;  // app and tests may read everything
            for (const QString& include : includesOf(source)) {
                const QString target = roomOf(include);
                if (!include.contains('/') || !(ladder().contains(target) || target == "app" || target == "tests")) continue;
                ++checked;
                // The launcher and the ranks meet on a command line: one header of launch is read on both sides.
                const bool handshake = room == "engine/train" && include == "engine/launch/rank_arguments.h";
                if (target != room && !ladder()[room].contains(target) && !handshake)
                    wrong.append(source.path + " includes " + include);
            }
        }
        QVERIFY2(checked > 100, "no includes were found: the test looks at the wrong place");
        for (const QString& folder : QDir(root + "/engine").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (!ladder().contains("engine/" + folder)) wrong.append("engine/" + folder + " is not on the ladder");
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
            const QString room = roomOf(source.path);
            const bool training = room == "engine/comm" || room == "engine/train" || room == "engine/parallel" ||
                                  room == "kernels" || room == "tests" || source.path == "app/rank.cpp";
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
        for (const char* script : {"app/start", "tests/run", "tests/gpu/run", "tests/gpu/pack", "tests/fuzz/run", ".ci/run"}) {
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
        for (const char* name : {"README.md", "CONTRIBUTING.md"}) {
            QFile file(root + "/" + name);
            QVERIFY2(file.open(QIODevice::ReadOnly), name);
            auto matches = link.globalMatch(QString::fromUtf8(file.readAll()));
            while (matches.hasNext())
                if (const QString target = matches.next().captured(1); !QFile::exists(root + "/" + target))
                    wrong.append(QString(name) + " links to " + target + ", which is not there");
        }
        QVERIFY(QFile::exists(root + "/engine/run/format.md"));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
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
                QVERIFY2(other.isEmpty() || other == source.path, qPrintable(name + " is defined in " + other + " and in " + source.path));
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

    /// What a test draws can be drawn again: chance has one source. Threads that stand in for a GPU's streams are meant to differ.
    void chanceOfTestsCanBeRepeated() {
        QStringList wrong;
        for (const Source& source : codeFiles()) {
            if (roomOf(source.path) != "tests" || source.path.startsWith("tests/gpu/emulated_") || source.path.startsWith("tests/bench/")) continue;
            if (source.path == "tests/support/seed.h" || source.path == "tests/unit/source_rules_test.cpp") continue;
            for (const QString& line : source.lines)
                if (line.contains("random_device") || line.contains("QRandomGenerator::global")) wrong.append(source.path + " draws what SHARDLAB_TEST_SEED does not repeat: freshSeed() does");
        }
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
