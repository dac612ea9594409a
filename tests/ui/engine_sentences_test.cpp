// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine says, in the Chinese desktop: notes, faults, findings about orders, reasons of candidates, refusals
// of trainers and errors have no English word but names, fields and units.
#include "tests/layout/refusals/all.h"
#include "tests/layout/refusals/field_limits.h"
#include "tests/ui/foreign_words.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include "engine/base/tcp_socket.h"
#include "engine/launch/lesson/chapters.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_pace.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/registries.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/validate.h"
#include "engine/predict/plan/profile.h"
#include "engine/predict/search/search.h"
#include "engine/predict/search/step_overhead.h"
#include "engine/trace/dumps/hang_report.h"
#include "engine/trace/query/query.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"
#include "engine/trace/trainers/trainer_target.h"
#include "ui/core/field_words.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/views/notes/reasons.h"
#include "ui/window/language.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace shardlab::test;

namespace {

/// Where the sources of the engine match `plain`, but for those whose names begin with one of `others`.
QStringList matches(const QRegularExpression& plain, const QStringList& others) {
    const QDir engine(QStringLiteral(SHARDLAB_SOURCE_DIR "/engine"));
    QDirIterator files(engine.path(), {"*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
    int read = 0;
    QStringList found;
    while (files.hasNext()) {
        const QString path = engine.relativeFilePath(files.next());
        if (std::ranges::any_of(others, [&](const QString& each) { return path.startsWith(each); })) continue;
        QFile file(engine.filePath(path));
        if (!file.open(QIODevice::ReadOnly)) continue;
        ++read;
        const QString source = QString::fromUtf8(file.readAll());
        for (auto each = plain.globalMatch(source); each.hasNext();)
            found += path + QStringLiteral(": ") + each.next().captured();
    }
    if (read < 100) found += QStringLiteral("the engine's sources were not found");
    return found;
}

}  // namespace

class EngineSentencesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { speak(QStringLiteral("zh_CN")); }

    void notesAreChinese() {
        const auto all = presets();
        QVERIFY(all);
        qsizetype notes = 0;
        QString foreign;
        for (const Preset& preset : *all) {
            const auto plan = makePlan(preset.layout);
            QVERIFY2(plan, preset.name.c_str());
            const QSet<QString> known = knownWords(preset.layout);
            QStringList texts;
            std::vector<Sentence> sentences = plan->notes;
            for (const shardlab::ui::Reason& reason : reasons(*plan)) texts << reason.title << reason.why;
            for (const AxisTraffic& traffic : plan->traffic) sentences.push_back(traffic.what);
            if (plan->mesh.ranks() <= 4)  // else the search for what is faster takes long
                for (const StepOverhead& overhead : largestOverheads(*plan)) {
                    sentences.push_back(overhead.why);
                    if (overhead.better) sentences.push_back(toText(*overhead.better));
                }
            for (const QString& text : texts) foreign += foreignWords(text, known);
            for (const Sentence& sentence : sentences) foreign += wrongWords(sentence, known);
            notes += texts.size() + static_cast<qsizetype>(sentences.size());
        }
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY(notes > 500);
    }

    void faultsAreChinese() {
        addHostlessDevice();
        const QSet<QString> known = knownWords({});
        QSet<QString> seen;
        QString foreign;
        const auto tell = [&](const auto& change) {
            Layout layout;
            change(layout);
            for (const Fault& fault : check(layout, scheduleMethods())) {
                const QString text = faultText(fault);
                foreign += foreignWords(text, known);
                foreign += wrongWords(sentenceOf(fault), known);
                seen += text;
            }
        };
        for (const auto& each : allRefusals()) tell(each.change);
        for (const OutOfLimits& each : outOfLimits()) tell(each.change);
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY(seen.size() > 100);
    }

    /// Each action of every order that a schedule makes is left out, said twice and put behind the next one.
    void findingsAreChinese() {
        const QSet<QString> known = knownWords({});
        QSet<QString> seen;
        QString foreign;
        const auto tell = [&](const Schedule& order, const std::optional<Finding>& wrong) {
            if (!wrong) return;
            for (const Sentence& each : {placeOf(order, *wrong), wrong->why, wrong->legal}) {
                foreign += wrongWords(each, known);
                seen += told(each);
            }
        };
        const ScheduleShape shape{.ranks = 3, .chunks = 1, .microbatches = 6};
        for (const ScheduleMethod& method : generatedMethods()) {
            ScheduleShape its = shape;
            its.chunks = method.minChunks;
            const Result<Schedule> order = generateSchedule(method.name, its);
            if (!order) {
                foreign += foreignWords(told(order.error()), known);
                continue;
            }
            for (std::size_t rank = 0; rank < order->ranks.size(); ++rank)
                for (std::size_t i = 0; i + 1 < order->ranks[rank].size(); ++i)
                    for (int change = 0; change < 3; ++change) {
                        Schedule other = *order;
                        std::vector<Action>& actions = other.ranks[rank];
                        const auto at = actions.begin() + static_cast<std::ptrdiff_t>(i);
                        if (change == 0) actions.erase(at);
                        else if (change == 1) actions.insert(at, *at);
                        else std::iter_swap(at, at + 1);
                        tell(other, findWrong(other));
                        if (other.flushes()) tell(other, findMisfit(other, shape));
                    }
        }
        for (const char* line : {"", "0X0", "F0", "0F0,0B0", "0F0,,2F0", "0F0,0F1", "0F99999999999", "0F0@v1"}) {
            const Result<Schedule> read = scheduleOfLines({line});
            if (!read) foreign += foreignWords(told(read.error()), known);
            else tell(*read, findMisfit(*read, shape));
        }
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY2(seen.size() > 40, qPrintable(QString::number(seen.size())));
    }

    void reasonsOfCandidatesAreChinese() {
        Layout layout;
        layout.model.layers = 4;
        layout.batch.global = 8;
        layout.cluster.hosts = {{"localhost", 4}};
        layout.cluster.pace = PaceSpec{.device = "h100-sxm"};
        layout.model.hidden = 65536;
        layout.model.heads = 512;
        const auto found = searchLayouts(layout);
        QVERIFY2(found, found ? "" : toText(found.error()).c_str());
        const QSet<QString> known = knownWords(layout);
        int fail = 0;
        for (const Candidate& candidate : found->candidates) {
            if (candidate.fits) continue;
            const QString foreign = wrongWords(candidate.why, known);
            QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
            ++fail;
        }
        QVERIFY(fail > 0);
    }

    void refusalsOfTrainersAreChinese() {
        QSet<QString> known = knownWords({}), seen;
        for (const char* word :
             {"Megatron", "LM",     "Bridge",   "NeMo",           "torchtitan",    "accelerate", "FSDP",   "autocast",
              "SGD",      "SiLU",   "softmax",  "PipelineModule", "WarmupDecayLR", "uniform",    "block",  "idx",
              "qwen3",    "llama3", "llama4",   "deepseek",       "gpt",           "oss",        "master", "Python",
              "py",       "shell",  "torchrun", "TOML",           "CSV",           "YAML",       "launch"})
            known += QString::fromLatin1(word).toLower();
        QString foreign;
        for (const TrainerTarget& target : trainerTargets()) {
            foreign += foreignWords(term(target.description), known);
            const auto tell = [&](const Layout& layout) {
                if (!check(layout, scheduleMethods()).empty()) return;
                const auto exported = exportLayout(layout, target);
                if (exported) return;
                for (const Fault& fault : exported.error()) {
                    foreign += foreignWords(faultText(fault), known);
                    for (const Sentence& part : {fault.what, fault.why, fault.legal})
                        foreign += wrongPlurals(QString::fromStdString(part.english()));
                    seen += told(fault.why);
                }
            };
            const auto all = presets();
            for (const Preset& preset : *all) tell(preset.layout);
        }
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY2(seen.size() > 50, qPrintable(QString::number(seen.size())));
    }

    /// Where a library found what is wrong.
    void librariesFaultsAreChinese() {
        QSet<QString> tables;
        for (const TableHelp& table : queryTables()) tables += text(table.name);
        const QSet<QString> known =
            knownWords({}) +
            QSet<QString>{"sqlite", "select", "from", "steps", "nothing", "drop", "table", "profile", "query"} + tables;
        QSet<QString> seen;
        QString foreign;
        const auto tell = [&](const auto& result) {
            if (result) {
                foreign += QStringLiteral("nothing was refused\n");
                return;
            }
            foreign += wrongWords(result.error().told(), known);
            seen += told(result.error().why);
        };
        for (const char* damaged :
             {"{", "[1,, 2]", "{]", "[x]", "[\"\xff\"]", "[\"a\nb\"]", "[-x]", "[\"\\q\"]", "1 2"}) {
            tell(parseLayout(damaged));
            tell(parseProfile(damaged));
        }
        tell(parseProfile("{}"));
        tell(parseProfile("{\"shardlab_profile\": 99}"));
        tell(parseProfile("{\"shardlab_profile\": 1, \"processor\": 7}"));
        const auto run = RunReader::open(SHARDLAB_SOURCE_DIR "/tests/trace/runs/format-5.shardlab");
        QVERIFY(run);
        const auto query = RunQuery::open(**run);
        QVERIFY(query);
        for (const char* question : {"SELECT x FROM steps", "SELECT * FROM nothing", "SELECT FROM", "SELECT nothing(1)",
                                     "SELECT (", "DROP TABLE steps", ""})
            tell((*query)->ask(question, {[](const auto&) {}, [](const auto&) { return true; }, {}}));
        const QTemporaryDir folder;
        const std::string file = folder.filePath("run.shardlab").toStdString();
        std::ofstream(file) << std::string(5000, 'x');
        auto database = Database::open(file, DatabaseMode::Write);
        if (database) tell(database->number("SELECT count(*) FROM meta"));
        tell(Database::open(folder.filePath("none/run.shardlab").toStdString(), DatabaseMode::Write));
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY2(seen.size() > 15, qPrintable(QString::number(seen.size())));
    }

    /// Ranks 0 and 1 wait for each other, for a rank without a dump, for other collectives, or for nobody.
    void hangsAreChinese() {
        using enum DumpedCall::State;
        const QSet<QString> known =
            knownWords({}) + QSet<QString>{"pg", "step", "send", "recv", "broadcast", "float", "utc"};
        QSet<QString> seen;
        QString foreign;
        const auto call = [](std::string group, std::string operation, std::int64_t number, DumpedCall::State state) {
            return DumpedCall{std::move(group), std::move(operation), number, 1'700'000'000'000'000'000, false, state,
                              "Float[4]",       "train.py:41 in step"};
        };
        const auto tell = [&](const std::vector<std::vector<DumpedCall>>& ranks) {
            std::vector<FlightDump> dumps;
            for (const auto& calls : ranks)
                dumps.push_back({static_cast<int>(dumps.size()),
                                 "2.5",
                                 {{"0", {"default_pg", {0, 1, 2}}}, {"5", {"pg", {0, 1}}}},
                                 calls});
            const auto report = reportHang(dumps);
            QVERIFY(report);
            for (const Sentence& line : report->lines()) {
                foreign += wrongWords(line, known);
                seen += told(line);
            }
        };
        const DumpedCall waits = call("0", "all_reduce", 3, Started), asked = call("0", "all_reduce", 3, Scheduled),
                         over = call("0", "all_reduce", 3, Completed), other = call("0", "broadcast", 3, Started),
                         apart = call("5", "all_gather", 1, Started);
        DumpedCall sends = call("5", "send 0->1", 1, Started), answers = call("5", "recv 1<-0", 1, Started);
        sends.message = answers.message = true;
        tell({{waits}, {asked}});
        tell({{waits}, {asked}, {over}});
        tell({{waits}, {other}, {}});
        tell({{waits, apart}, {waits}, {call("0", "all_reduce", 2, Completed)}});
        tell({{waits}, {apart}, {}});
        tell({{sends}, {answers}, {over}});
        tell({{sends}, {over}, {over}});
        tell({{over, sends}});
        tell({{over}, {over}, {over}});
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY2(seen.size() > 25, qPrintable(QString::number(seen.size())));
    }

    /// What stands between the sentences of a lesson.
    void lessonsAreChinese() {
        const auto all = shardlab::launch::lessons();
        QVERIFY(all);
        const QSet<QString> known = knownWords({});
        QString foreign;
        int answered = 0, paced = 0;
        for (Lesson lesson : *all) {
            paceTogether(lesson);
            if (const Sentence remark = paceRemark(lesson); !remark.empty()) {
                foreign += wrongWords(remark, known);
                ++paced;
            }
            for (LessonQuestion question : lesson.questions) {
                for (QuestionChoice& choice : question.choices) choice.text = "1";
                const double most = question.choices.empty() ? question.to : 0;
                for (const double answer : {most, most / 2, 0.0}) {
                    foreign += wrongWords(verdict(question, question.choices.empty() ? most / 2 : 0, answer), known);
                    ++answered;
                }
            }
        }
        for (const LessonFigure& figure : lessonFigures())
            foreign += wrongWords(figureText(figure, FigureOrigin::Measured, {}), known);
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY(answered > 50 && paced > 5);
    }

    void mistakesInLessonsAreChinese() {
        QSet<QString> known = knownWords({}), seen;
        for (const char* word : {"experiment", "name",  "like",  "other", "question", "step",     "text",
                                 "pointer",    "value", "fault", "ran",   "figure",   "slider",   "choice",
                                 "least",      "most",  "when",  "show",  "reveal",   "timeline", "learn",
                                 "figures",    "title", "up",    "help",  "fields",   "in",       "lessons"})
            known += QString::fromLatin1(word);
        for (const char* word : {"theory", "predicted", "layout", "more", "of"}) known += QString::fromLatin1(word);
        for (const LessonFigure& figure : lessonFigures())
            for (const QString& word : text(figure.name).split(QLatin1Char('_'))) known += word;
        const std::string a = "```experiment a\n{}\n```\n", asks = "# T\n" + a + "```question q: what?\n",
                          does = "# T\n" + a + "```step s: do\n";
        QString foreign;
        for (const std::string& lesson :
             {std::string("x"),
              std::string("# T\n```\nx"),
              std::string("# T\n```experiment\n{}\n```\n"),
              "# T\n" + a + a,
              std::string("# T\n```experiment a like b\n{}\n```\n"),
              std::string("# T\n```experiment a\n[]\n```\n"),
              std::string("# T\n```experiment a\n{\"model\": {\"heads\": 7}}\n```\n"),
              "# T\n" + a + "{{a}}\n",
              "# T\n" + a + "{{a.none}}\n",
              "# T\n" + a + "{{b.bubble}}\n",
              "# T\n" + a + "{{a.bubble.none}}\n",
              "# T\n" + a + "{{a.bubble\n",
              asks + "```\n",
              asks + "figure: a.bubble\nslider: 0 % to 9 %\n```\n",
              std::string("# T\n```question ?\n```\n"),
              std::string("# T\n```step ?\n```\n"),
              asks + "none: 1\n```\n",
              asks + "figure: a.bubble\nfigure: a.bubble\n```\n",
              asks + "figure: a.bubble\nslider: 0 % to 9 %\nshow: 1\nreveal: x\n```\n",
              asks + "figure: a.bubble / a.step_time\nslider: 1 to 2\nreveal: x\n```\n",
              asks + "figure: a.bubble.predicted\nslider: 0 % to 9 %\nreveal: x\n```\n",
              asks + "figure: a.bubble\nslider: 9\nreveal: x\n```\n",
              asks + "figure: a.bubble\nchoice: x\nreveal: x\n```\n",
              asks + "figure: a.bubble\nchoice up to x: x\nreveal: x\n```\n",
              asks + "figure: a.bubble\nchoice up to 9 %:\nreveal: x\n```\n",
              asks + "figure: a.bubble\nchoice up to 9 %: x\nchoice up to 8 %: x\nreveal: x\n```\n",
              asks + "least: bubble of b, c\nreveal: x\n```\n",
              asks + "least: bubble of a, a\nreveal: x\n```\n",
              asks + "least: bubble of a\nreveal: x\n```\n",
              does + "```\n",
              does + "when: x\n```\n",
              does + "when: /batch/micro\n```\n",
              does + "when: ran b\n```\n",
              "# T\n" + a + "```step s in b: do\nwhen: /batch/micro = 1\n```\n",
              does + "when: ran a\n```\n```step s: do\nwhen: ran a\n```\n"}) {
            const auto read = parseLesson(lesson, "t");
            QVERIFY2(!read, lesson.c_str());
            const Error& error = read.error();
            for (const Sentence& part : {error.what, error.where, error.why, error.legal})
                foreign += wrongWords(part, known);
            seen += told(error.what);
        }
        for (const char* chapters : {"[{\"title\": \"\", \"lessons\": []}]", "[{\"title\": \"x\", \"lessons\": []}]",
                                     "[{\"title\": \"x\", \"lessons\": [\"y\", \"y\"]}]"}) {
            const auto read = parseChapters(chapters);
            QVERIFY(!read);
            foreign += foreignWords(told(read.error()), known);
        }
        QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        QVERIFY2(seen.size() > 26, qPrintable(QString::number(seen.size())));
    }

    /// An error that the desktop may show is made of sentences. The folders below make errors that only a rank
    /// or the command line reads.
    void errorsAreSentences() {
        static const QRegularExpression plain(QStringLiteral("\\b(?:fail\\(|Error)\\(?(?:Error)?\\{\\s*\"[^\"]+\""));
        const QStringList others{"train/",
                                 "trace/record/",
                                 "trace/event/",
                                 "trace/metrics/",
                                 "predict/evidence/",
                                 "predict/plan/",
                                 "launch/job/forwarder",
                                 "trace/run_file/run_block.cpp"};
        const QStringList found = matches(plain, others);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    /// What an import or a comparison notes, and in what a file of weights differs, is made of sentences. The notes of
    /// a foreign trace stand in the log of the run that is made of it, and are English there.
    void notesAreSentences() {
        static const QRegularExpression plain(QStringLiteral(
            R"~(\bnote\(\s*(?:"|fmt::)|\b(?:notes_?|leftOut|ours)(?:\.|->)(?:push_back|emplace_back)\(\s*(?:"|fmt::))~"
            R"~(|std::vector<std::string>&?\s+(?:notes_?|leftOut|ours)\b|\bdiffer\([^,;]*,\s*(?:"|fmt::))~"));
        const QStringList found = matches(plain, {"trace/interchange/"});
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    void errorsOfFilesAreChinese() {
        const QTemporaryDir folder;
        const std::filesystem::path place(folder.path().toStdString()), file = place / "it.shardlab";
        const QSet<QString> known =
            knownWords({}) + QSet<QString>{"sqlite",   "torchrun", "toml",       "csv",     "shell", "py",
                                           "megatron", "lm",       "torchtitan", "hugging", "face"};
        const auto verify = [&](const auto& result) {
            QVERIFY(!result);
            const QString foreign = foreignWords(told(result.error()), known);
            QVERIFY2(foreign.isEmpty(), qPrintable(foreign));
        };
        verify(RunReader::open(file));
        verify(RunReader::open(place));
        verify(readLayout(file));
        for (const char* content : {"", "no run", "{\"model\": {\"layers\": }"}) {
            std::ofstream(file) << content;
            verify(RunReader::open(file));
            verify(layoutFromFile(file));  // what the parser of JSON says of a layout stays as it says it
        }
        verify(parseTcpAddress("[::1]:x"));
        verify(connectTcp({"127.0.0.1", 1}, std::chrono::seconds(1), WakeUp()));
    }
};

QTEST_GUILESS_MAIN(EngineSentencesTest)
#include "engine_sentences_test.moc"
