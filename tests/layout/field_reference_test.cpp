// SPDX-License-Identifier: Apache-2.0
// What others are told of a layout's fields is what the reader and the checks do: the schema takes every legal layout
// and refuses what they call a fault of a single field, by an independent validator.
#include "engine/base/language.h"
#include "engine/layout/check/check.h"
#include "engine/layout/field_reference.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/golden.h"
#include "tests/support/translations.h"
#include "tests/support/wings.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <ranges>
#include <set>

using namespace shardlab::test;

namespace {

/// Prints a line for each file: its name, and "legal" or the pointer of what is not.
constexpr const char* validator = R"(
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
judge = jsonschema.Draft202012Validator(schema)
judge.check_schema(schema)
for file in sys.argv[2:]:
    faults = list(judge.iter_errors(json.load(open(file))))
    print(file, 'legal' if not faults else '/' + '/'.join(str(part) for part in faults[0].absolute_path))
)";

}  // namespace

class FieldReferenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pageOfTheManualIsCurrent() {
        const QString difference =
            differenceFromGolden("../resources/manual/31-layout-fields.md", fieldsPage(scheduleMethods()));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void translatedPagesAreCurrent_data() {
        QTest::addColumn<QString>("language");
        for (const std::string_view language : languages | std::views::drop(1)) {
            const QString name = QString::fromStdString(std::string(language));
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    /// They are made of the desktop's translations of the same phrases.
    void translatedPagesAreCurrent() {
        QFETCH(const QString, language);
        const Translations translations = readTranslations(translationsFile(language.toStdString()));
        QStringList missing;
        const std::string page = fieldsPage(scheduleMethods(), [&](std::string_view phrase) {
            const QString english = QString::fromUtf8(phrase.data(), static_cast<qsizetype>(phrase.size()));
            const auto known = translations.find("tables\n" + english);
            if (known == translations.end() || known->second.translation.isEmpty()) {
                missing += english;
                return std::string(phrase);
            }
            return known->second.translation.toStdString();
        });
        QVERIFY2(missing.isEmpty(), qPrintable("translations_test asks for\n" + missing.join('\n')));
        const QString difference =
            differenceFromGolden("../resources/manual/" + language + "/31-layout-fields.md", page);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void everyFieldHasARow() {
        const std::vector<FieldRow> rows = fieldRows(scheduleMethods());
        QCOMPARE(rows.size(), fields().size());
        std::set<std::string> pointers;
        for (const FieldRow& row : rows) {
            QVERIFY2(row.help.ends_with('.') && !row.legal.empty(), row.pointer.c_str());
            QVERIFY2(pointers.insert(row.pointer).second, row.pointer.c_str());
        }
    }

    void defaultsAreThoseOfAnEmptyLayout() {
        for (const FieldRow& row : fieldRows(scheduleMethods())) {
            if (row.pointer.starts_with("/cluster/pace/")) continue;
            const auto set = setField(Layout{}, row.pointer + "=" + row.byDefault);
            QVERIFY2(set && set->faults.empty(), row.pointer.c_str());
            QVERIFY2(set->layout == Layout{}, row.pointer.c_str());
        }
    }

    void schemaAgreesWithReaderAndChecks() {
        QProcess python;
        python.start("python3", {"-c", "import jsonschema; jsonschema.Draft202012Validator"});
        if (!python.waitForFinished(patience) || python.exitCode() != 0)
            QSKIP("python3 has no jsonschema with draft 2020-12 (python3-jsonschema)");
        const QTemporaryDir folder;
        QMap<QString, QString> expected;
        const auto add = [&](const QByteArray& name, const std::string& text, const QString& verdict) {
            QFile file(folder.filePath(QString::fromUtf8(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.data(), qint64(text.size())) >= 0);
            expected[file.fileName()] = verdict;
        };
        add("empty", "{}", "legal");
        add("full-speed", R"({"cluster": {"pace": null}})", "legal");
        add("whole", R"({"model": {"layers": 4.0}})", "legal");
        add("unknown", R"({"modle": {}})", "/");
        add("nested", R"({"cluster": {"pace": {"devise": "cpu"}}})", "/cluster/pace");
        add("type", R"({"model": {"layers": "4"}})", "/model/layers");
        add("fraction", R"({"model": {"layers": 4.5}})", "/model/layers");
        add("word", R"({"model": {"kind": "gtp"}})", "/model/kind");
        add("range", R"({"run": {"steps": -1}})", "/run/steps");
        add("host", R"({"cluster": {"hosts": [{"name": "a", "device": 2}]}})", "/cluster/hosts/0");
        add("none", R"({"cluster": {"hosts": []}})", "/cluster/hosts");
        add("list", R"({"schedule": {"stages": [2, "2"]}})", "/schedule/stages/1");
        add("version", R"({"version": 2})", "/version");
        for (auto each = expected.cbegin(); each != expected.cend(); ++each) {
            QFile file(each.key());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const auto parsed = parseLayout(file.readAll().toStdString());
            const bool legal = parsed && parsed->faults.empty() && check(parsed->layout, scheduleMethods()).empty();
            QVERIFY2(legal == (each.value() == "legal"), qPrintable(each.key()));
        }
        const auto all = presets();
        QVERIFY(all && all->size() > 50);
        for (const Preset& preset : *all)
            add(QByteArray::fromStdString(preset.name), writeLayout(preset.layout), "legal");
        add("schema", layoutSchema(scheduleMethods()), {});
        expected.remove(folder.filePath("schema"));
        python.start("python3", QStringList{"-c", validator, folder.filePath("schema")} + expected.keys());
        QVERIFY(python.waitForFinished(patience));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError());
        int judged = 0;
        for (const QByteArray& line : python.readAllStandardOutput().split('\n')) {
            if (line.isEmpty()) continue;
            const qsizetype space = line.lastIndexOf(' ');
            QCOMPARE(QString::fromUtf8(line.mid(space + 1)), expected.value(QString::fromUtf8(line.first(space))));
            ++judged;
        }
        QCOMPARE(judged, int(expected.size()));
    }
};

QTEST_GUILESS_MAIN(FieldReferenceTest)
#include "field_reference_test.moc"
