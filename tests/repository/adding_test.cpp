// SPDX-License-Identifier: Apache-2.0
// What the pages say of adding a thing is true: the files that name one are those that its page lists, and a dummy of
// each kind, added to these files and no others, compiles; left out of any of them, the compiler says so.
#include "tests/support/patience.h"
#include "tests/support/places.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

namespace {

const QString root = QStringLiteral(SHARDLAB_SOURCE_DIR);

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString withoutComments(QString code) {
    static const QRegularExpression comment("//[^\n]*|/\\*.*?\\*/", QRegularExpression::DotMatchesEverythingOption);
    return code.remove(comment);
}

/// The product's code without its comments, by path from the repository's root.
const QMap<QString, QString>& product() {
    static const QMap<QString, QString> files = [] {
        QMap<QString, QString> all;
        for (const char* folder : {"engine", "kernels", "ui", "app"}) {
            QDirIterator iterator(root + "/" + folder, {"*.h", "*.cpp", "*.cu", "*.cuh"}, QDir::Files,
                                  QDirIterator::Subdirectories);
            while (iterator.hasNext()) {
                const QString path = iterator.next();
                all[QDir(root).relativeFilePath(path)] = withoutComments(contentOf(path));
            }
        }
        return all;
    }();
    return files;
}

QStringList filesThatName(const QRegularExpression& name) {
    QStringList files;
    for (const auto& [path, code] : product().asKeyValueRange())
        if (code.contains(name)) files.append(path);
    return files;
}

/// What a page says of a thing: the entry of its list, or the row of its table.
QString entryOf(const QString& page, const QString& thing) {
    const QString name = QRegularExpression::escape(thing);
    static const QString ends = QStringLiteral("(?=\n- \\*|\n\n|\\z)");
    const QRegularExpression entry("(?:^|\n)- \\*" + name + "\\*:.*?" + ends,
                                   QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpression row("\n\\| " + name + " \\|[^\n]*");
    const QString text = contentOf(root + "/" + page);
    const auto found = entry.match(text);
    return found.hasMatch() ? found.captured() : row.match(text).captured();
}

/// The files of an entry, by their paths from the root; it may leave out what its wing's files have in common.
QStringList filesOf(const QString& page, const QString& entry) {
    static const QRegularExpression path("`([\\w/<>.-]+/[\\w<>.-]+)`");
    QStringList files;
    for (const auto& match : path.globalMatch(entry)) {
        const QString name = match.captured(1);
        if (name.endsWith(".md")) continue;
        QString found = name;
        for (const QString& before : {QFileInfo(page).path() + "/", QStringLiteral("engine/"), QString()})
            if (QFileInfo::exists(root + "/" + before + QString(name).remove(QRegularExpression("/[^/]*<.*")))) {
                found = before + name;
                break;
            }
        files.append(found);
    }
    return files;
}

/// A file of this pattern is a thing's own, "engine/train/optim/<name>.cpp", or lies in its own folder.
bool isOwn(const QString& path, const QStringList& patterns) {
    for (const QString& pattern : patterns) {
        if (!pattern.contains('<')) continue;
        const QString expression =
            QRegularExpression::escape(pattern).replace(QRegularExpression::escape("<name>"), "[\\w-]+");
        if (QRegularExpression("^" + expression + "(/|$)").match(path).hasMatch()) return true;
    }
    return false;
}

/// A line that adds a dummy to a file: before the first `before` behind the first `behind`.
struct Addition {
    QString file, behind, before, text;
};

const QList<Addition> additions{
    {"engine/layout/optimizer_kind.h", "enum class OptimizerKind", "Count", "Dummy, "},
    {"engine/layout/optimizer_kind.h", "optimizerTraits(", "\n});", "{OptimizerKind::Dummy, {\"dummy\"}},"},
    {"engine/train/optim/optimizers.h", "OptimizerMaker make", "inline", "OptimizerMaker makeDummy;\n"},
    {"engine/train/optim/optimizers.h", "optimizerMakers(", "\n});", "{OptimizerKind::Dummy, makeDummy},"},
    {"engine/layout/model_kind.h", "enum class ModelKind", "Count", "Dummy, "},
    {"engine/layout/model_kind.h", "modelTraits(", "\n});", "{ModelKind::Dummy, {\"dummy\"}},"},
    {"engine/train/model/models.h", "StageBuilder build", "inline", "StageBuilder buildDummy;\n"},
    {"engine/train/model/models.h", "stageBuilders(", "\n});", "{ModelKind::Dummy, buildDummy},"},
    {"engine/layout/gate_method.h", "enum class GateMethod", "Count", "Dummy, "},
    {"engine/layout/gate_method.h", "gateTraits(", "\n});", "{GateMethod::Dummy, {\"dummy\"}},"},
    {"kernels/gate.h", "enum class GateKind", "}", "Dummy"},
    {"engine/train/model/transformer.cpp", "gateKinds(", "\n});", "{GateMethod::Dummy, GateKind::Dummy},"},
    {"engine/layout/schedule/action_kind.h", "enum class ActionKind", "Count,", "Dummy,\n"},
    {"engine/layout/schedule/action_kind.h", "actionTraits(", "\n});", "{ActionKind::Dummy, {\"DUMMY\", \"dummy\"}},"},
    {"engine/trace/event/event.h", "actionEvents(", "\n});", "{ActionKind::Dummy, EventKind::None},"},
    {"engine/predict/plan/action_costs.cpp", "costOfKind(", "\n});", "{ActionKind::Dummy, {}},"},
};

const QString dummiesAreThere = R"(
#include "engine/predict/plan/action_costs.cpp"
#include "engine/train/model/transformer.cpp"
#include "engine/train/optim/optimizers.h"
static_assert(*shardlab::layout::kindOf<shardlab::layout::OptimizerKind>("dummy") ==
              shardlab::layout::OptimizerKind::Dummy);
static_assert(*shardlab::layout::kindOf<shardlab::layout::ModelKind>("dummy") == shardlab::layout::ModelKind::Dummy);
static_assert(*shardlab::layout::kindOf<shardlab::layout::GateMethod>("dummy") == shardlab::layout::GateMethod::Dummy);
)";

/// The sources with a dummy of each kind, in a folder that the compiler looks into first.
class Overlay {
public:
    /// `left`: the index of an addition that is left out.
    explicit Overlay(int left = -1) {
        QMap<QString, QString> files;
        for (int i = 0; i < additions.size(); ++i) {
            const Addition& each = additions[i];
            if (!files.contains(each.file)) files[each.file] = contentOf(root + "/" + each.file);
            QString& code = files[each.file];
            const auto behind = code.indexOf(each.behind), place = code.indexOf(each.before, behind);
            if (behind < 0 || place < 0) qFatal("%s: there is no %s", qPrintable(each.file), qPrintable(each.behind));
            if (i != left) code.insert(place, "\n" + each.text);
        }
        for (const auto& [path, code] : files.asKeyValueRange()) write(path, code);
    }

    /// What the compiler says of a text; nothing where it is right.
    QString compile(const QString& code) const {
        write("unit.cpp", code);
        QProcess compiler;
        compiler.setProcessChannelMode(QProcess::MergedChannels);
        compiler.start(SHARDLAB_COMPILER,
                       {"-std=c++20", "-fsyntax-only", "-Wall", "-Werror=switch", "-DSHARDLAB_VERSION=\"0\"", "-I",
                        folder_.path(), "-I", root, folder_.filePath("unit.cpp")});
        if (!compiler.waitForFinished(-1)) return "there is no compiler: " + compiler.errorString();
        return compiler.exitCode() == 0 ? QString() : "not compiled:\n" + QString::fromUtf8(compiler.readAll());
    }

private:
    void write(const QString& path, const QString& code) const {
        QDir().mkpath(QFileInfo(folder_.filePath(path)).path());
        QFile file(folder_.filePath(path));
        if (!file.open(QIODevice::WriteOnly) || file.write(code.toUtf8()) < 0) qFatal("%s", qPrintable(path));
    }

    QTemporaryDir folder_;
};

}  // namespace

class AddingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pagesListTheFilesThatNameOne_data() {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("names");   ///< the code of a file that has to be touched
        QTest::addColumn<QString>("told");    ///< what a file on the list says of those that there are
        QTest::addColumn<QString>("kernel");  ///< files of operations, of which kernels/README.md tells
        const QString layout = "engine/layout/README.md", trace = "engine/trace/README.md",
                      train = "engine/train/README.md", architecture = "resources/manual/60-architecture.md";
        const QString operations = "^kernels/(\\w+/)?(operations|adafactor|sm3|moment_codes)\\.(h|cpp|cu)$";
        QTest::newRow("an optimizer") << train << "\\bOptimizerKind::[A-Z]|[Aa]dafactor|\\b[Ss]m3"
                                      << "adafactor" << operations;
        QTest::newRow("a model") << train << "\\bModelKind::[A-Z]|\\bbuild(Transformer|Cnn)\\b"
                                 << "cnn|llama|readsImages"
                                 << "";
        QTest::newRow("a gate") << train << "\\b(GateMethod|GateKind)::[A-Z]"
                                << "hierarchical|TopKSoftmax"
                                << "";
        QTest::newRow("a number format of products") << layout << "\\bProductFormat::(Fp8|MxFp8|NvFp4)"
                                                     << "fp8|saysMx"
                                                     << "";
        QTest::newRow("an action kind") << layout << "\\bSwapFree\\b"
                                        << "SwapFree"
                                        << "";
        QTest::newRow("a schedule") << layout << "[dD]ual[pP]ipeV|dualpipe-v"
                                    << "DualPipeV"
                                    << "";
        QTest::newRow("an export format") << trace << "\\bwrite(Csv|Chrome|Perfetto)\\b"
                                          << "perfetto"
                                          << "";
        QTest::newRow("an import format") << trace << "\\bread(Kineto|Nsight|Chrome|Memory)\\b"
                                          << "kineto"
                                          << "";
        QTest::newRow("a trainer to export to")
            << trace << "\\b(megatron|megatronBridge|nemo|torchtitan|torchtitan03|deepspeed|accelerate)Target\\b"
            << "deepspeed"
            << "";
        QTest::newRow("a verb of the command line") << architecture << "\\badd(Plan|Learn|Info|Query)\\b"
                                                    << "learn"
                                                    << "";
    }
    void pagesListTheFilesThatNameOne() {
        QFETCH(QString, page);
        QFETCH(QString, names);
        QFETCH(QString, told);
        QFETCH(QString, kernel);
        const QString entry = entryOf(page, QTest::currentDataTag());
        QVERIFY2(!entry.isEmpty(), qPrintable(page + " has no such entry"));
        const QStringList listed = filesOf(page, entry);
        const QRegularExpression ofKernels(kernel), words(told, QRegularExpression::CaseInsensitiveOption);
        bool own = false;
        for (const QString& file : filesThatName(QRegularExpression(names))) {
            own = own || isOwn(file, listed);
            const bool known =
                listed.contains(file) || isOwn(file, listed) || (!kernel.isEmpty() && ofKernels.match(file).hasMatch());
            QVERIFY2(known, qPrintable(file + " names one, and the page does not say so"));
        }
        QVERIFY2(own || !entry.contains('<'), "nothing has a file of its own");
        for (const QString& file : listed)
            QVERIFY2(file.contains('<') || contentOf(root + "/" + file).contains(words),
                     qPrintable(file + " is listed, and says nothing of them"));
    }

    /// With a dummy of each kind in the files of its page all code that knows the kinds compiles, and every switch over
    /// them is whole.
    void dummiesNeedNoOtherFile() {
        const Overlay overlay;
        const QRegularExpression knows(
            "\\b(OptimizerKind|ModelKind|GateMethod|optimizerTraits|modelTraits|gateTraits)\\b|"
            "\\bswitch \\((\\w+\\.kind|workOf\\(.*)\\)");
        int files = 0;
        QMap<QString, QString> folders;  // those of a folder are compiled together, as in the build
        for (const QString& file : filesThatName(knows)) {
            if (!file.startsWith("engine/") || !file.endsWith(".cpp")) continue;
            ++files;
            folders[QFileInfo(file).path()] += "#include \"" + file + "\"\n";
        }
        QVERIFY(files > 10);
        for (const auto& [folder, code] : folders.asKeyValueRange()) {
            const QString said = overlay.compile(code);
            QVERIFY2(said.isEmpty(), qPrintable(folder + ":\n" + said));
        }
        const QString said = overlay.compile(dummiesAreThere);
        QVERIFY2(said.isEmpty(), qPrintable(said));
    }

    void dummiesNeedEachFile_data() {
        QTest::addColumn<int>("left");
        for (int i = 0; i < additions.size(); ++i)
            if (additions[i].text.contains('{')) QTest::newRow(qPrintable(additions[i].file)) << i;
    }
    void dummiesNeedEachFile() {
        QFETCH(int, left);
        const QString said = Overlay(left).compile(dummiesAreThere);
        QCOMPARE(said.count("static assertion failed: every kind has a row"), 1);
        QVERIFY2(said.contains(additions[left].file), qPrintable(said));
    }
};

QTEST_GUILESS_MAIN(AddingTest)
#include "adding_test.moc"
