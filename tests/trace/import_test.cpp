// SPDX-License-Identifier: Apache-2.0
// Other programs' traces as runs: what of them is where, what is counted as not understood, and that nothing in a file
// brings the import down.
#include "engine/trace/interchange/import.h"

#include "engine/trace/metrics/summary.h"
#include "engine/trace/interchange/event_sorter.h"
#include "engine/trace/interchange/export.h"
#include "engine/trace/interchange/trace_json.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/trace/imported.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <zlib.h>

using namespace shardlab::test;

namespace {

const std::filesystem::path traces = std::filesystem::path(SHARDLAB_SOURCE_DIR) / "tests/trace/traces";

std::string contentOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
}

std::int64_t lasting(const Event& event) { return event.end - event.begin; }

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void microsecondsAreReadExactly() {
        QCOMPARE(nanoseconds("4342888733666.364"), std::int64_t{4342888733666364});
        QCOMPARE(nanoseconds("12"), std::int64_t{12000});
        QCOMPARE(nanoseconds("12.5"), std::int64_t{12500});
        QCOMPARE(nanoseconds("12.0004"), std::int64_t{12000});
        QCOMPARE(nanoseconds("-1.25"), std::int64_t{-1250});
        QCOMPARE(nanoseconds("-0.5"), std::int64_t{-500});
        QCOMPARE(nanoseconds("1e3"), std::int64_t{1000000});
        QVERIFY(!nanoseconds("soon"));
        QVERIFY(!nanoseconds(""));
        QVERIFY(!nanoseconds("99999999999999999999"));
    }

    void eventsAreSortedBeyondMemory() {
        RandomEvents random(freshSeed());
        EventSorter sorter(folder_->path().toStdString(), 1000);
        std::vector<std::int64_t> begins;
        for (int i = 0; i < 25'300; ++i) {
            ForeignEvent event;
            event.event.begin = random.below(5000);
            event.event.end = event.event.begin + random.below(100);
            event.event.bytes = i;
            begins.push_back(event.event.begin);
            QVERIFY(sorter.add(event));
        }
        std::ranges::sort(begins);
        std::vector<std::int64_t> sorted;
        ForeignEvent last;
        last.event.begin = last.event.end = -1;
        bool ordered = true;
        QVERIFY(sorter.merge([&](const ForeignEvent& event) {
            const bool same = event.event.begin == last.event.begin && event.event.end == last.event.end;
            ordered = ordered && !earlier(event, last) && (!same || last.event.bytes < event.event.bytes);
            sorted.push_back(event.event.begin);
            last = event;
            return true;
        }));
        QVERIFY(ordered);
        QCOMPARE(sorted, begins);
        QCOMPARE(QDir(folder_->path()).entryList(QDir::Files), QStringList());
    }

    /// Two ranks whose files have different base times and come in the wrong order.
    void kinetoOfTwoRanks() {
        const Imported made = import({traces / "kineto-rank1.json", traces / "kineto-rank0.json"});
        QVERIFY(made.run);
        QCOMPARE(made.report.origin, std::string("PyTorch profiler"));
        QCOMPARE(made.run->header().origin, made.report.origin);
        QVERIFY(!made.run->header().hasLayout());
        QCOMPARE(made.report.ranks, 2);
        QCOMPARE(made.run->ranks().size(), std::size_t{2});
        for (int rank = 0; rank < 2; ++rank) {
            QCOMPARE(made.run->ranks()[static_cast<std::size_t>(rank)].host, "node-" + std::to_string(rank));
            QCOMPARE(made.run->ranks()[static_cast<std::size_t>(rank)].pid, 4700 + rank);
            const auto kernels = made.of(EventKind::Kernel, rank);
            QCOMPARE(kernels.size(), std::size_t{6});
            QCOMPARE(made.name(kernels[0]), std::string_view("ampere_sgemm_128x64_tn"));
            QCOMPARE(kernels[0].begin, std::int64_t{100'000 + 10'000 * rank});  // the first event of all is 0
            QCOMPARE(lasting(kernels[0]), std::int64_t{200'000});
            QCOMPARE(lasting(kernels[1]), std::int64_t{50'250});
            QVERIFY(std::ranges::all_of(kernels, [](const Event& event) { return event.lane == Lane::Compute; }));
            const auto collectives = made.of(EventKind::Collective, rank);
            QCOMPARE(collectives.size(), std::size_t{2});
            QCOMPARE(collectives[0].begin, std::int64_t{400'000});  // together on both ranks
            QCOMPARE(collectives[0].bytes, std::int64_t{8320 * 4});
            QCOMPARE(collectives[0].lane, Lane::Comm);
            const auto copies = made.of(EventKind::MemoryCopy, rank);
            QCOMPARE(copies.size(), std::size_t{4});
            QCOMPARE(copies[0].bytes, std::int64_t{65536});
            QCOMPARE(lasting(copies[0]), std::int64_t{20'500});
            const auto steps = made.of(EventKind::Step, rank);
            QCOMPARE(steps.size(), std::size_t{2});
            QCOMPARE(steps[0].step, 5);
            QCOMPARE(steps[1].step, 6);
            // The third kernel of a step runs after its host has left the step.
            for (std::size_t i = 0; i < kernels.size(); ++i) QCOMPARE(kernels[i].step, i < 3 ? 5 : 6);
            QVERIFY(kernels[2].begin > steps[0].end);
            const auto peaks = made.of(EventKind::MemoryPeak, rank);
            QCOMPARE(peaks.size(), std::size_t{2});
            QCOMPARE(peaks[0].bytes, std::int64_t{1'000'000 + rank});
            QCOMPARE(peaks[1].bytes, std::int64_t{1'001'000 + rank});
            // With a device the host's operations stay on the host: linear, addmm, two launches and the Python
            // function.
            QCOMPARE(made.of(EventKind::Operation, rank).size(), std::size_t{10});
        }
        QCOMPARE(made.ignored("arrows"), std::int64_t{8});
        QCOMPARE(made.ignored("phase \"b\""), std::int64_t{2});
        const auto log = made.run->log();
        QVERIFY(log);
        QVERIFY(std::ranges::any_of(*log, [](const LogLine& line) {
            return line.level == LogLevel::Warning && line.text.find("8 arrows") != std::string::npos;
        }));
    }

    void stepsHaveTheirIdleShare() {
        const Imported made = import({traces / "kineto-rank0.json"});
        QVERIFY(made.run);
        Summarizer summary(1);
        summary.add(made.events);
        QCOMPARE(summary.steps().size(), std::size_t{2});
        QVERIFY(summary.steps()[0].complete);
        QCOMPARE(summary.steps()[0].seconds, 900e-6);
        // Kernels at 100–300, 310–360.25 and 950–990 microseconds.
        QCOMPARE(summary.steps()[0].bubble, 1 - (200 + 50.25 + 40) / 890.0);
    }

    /// Recorded by torch.profiler on an H200: what a Python program counts in the file.
    void kinetoOfAnH200() {
        const Imported made = import({traces / "kineto-h200.json.gz"});
        QVERIFY(made.run);
        QCOMPARE(made.of(EventKind::Kernel).size(), std::size_t{90});
        QCOMPARE(made.of(EventKind::MemoryCopy).size(), std::size_t{18});
        QCOMPARE(made.of(EventKind::Operation).size(), std::size_t{477 + 235 + 6});
        QCOMPARE(made.of(EventKind::Annotation).size(), std::size_t{15 + 9});
        QCOMPARE(made.of(EventKind::Step).size(), std::size_t{3});
        QCOMPARE(made.of(EventKind::NamedCounter).size(), std::size_t{174});
        QCOMPARE(made.run->ranks()[0].label, std::string("python3"));
        for (int step = 2; step < 5; ++step)
            QCOMPARE(std::ranges::count(made.of(EventKind::Kernel), step, &Event::step), std::ptrdiff_t{30});
        Summarizer summary(1);
        summary.add(made.events);
        // 1 - busy / (last end - first begin) of the kernels that each step launched.
        const std::array idle{0.950446, 0.933546, 0.925992};
        for (std::size_t i = 0; i < idle.size(); ++i) QVERIFY(std::abs(summary.steps()[i].bubble - idle[i]) < 1e-4);
    }

    void chromeAsAListWithoutItsEnd() {
        const Imported made = import({traces / "chrome-list.json"});
        QVERIFY(made.run);
        QCOMPARE(made.report.ranks, 2);
        QCOMPARE(made.run->ranks()[0].label, std::string("3"));
        QCOMPARE(made.run->ranks()[1].label, std::string("loader"));
        const auto outermost = made.of(EventKind::Kernel);
        QCOMPARE(outermost.size(), std::size_t{3});
        QCOMPARE(made.name(outermost[1]), std::string_view("outer"));
        QCOMPARE(lasting(outermost[1]), std::int64_t{10'000});
        QCOMPARE(made.name(outermost[2]), std::string_view("other thread"));
        const auto nested = made.of(EventKind::Operation);
        QCOMPARE(nested.size(), std::size_t{1});
        QCOMPARE(made.name(nested[0]), std::string_view("inner"));
        QCOMPARE(nested[0].begin, std::int64_t{6'500});  // 5 is the first time there is
        QCOMPARE(nested[0].lane, Lane::Host);
        const auto counters = made.of(EventKind::NamedCounter);
        QCOMPARE(counters.size(), std::size_t{2});
        QCOMPARE(made.name(counters[0]), std::string_view("queue"));
        QCOMPARE(counters[1].value, 5.0);
        QCOMPARE(made.of(EventKind::Mark).size(), std::size_t{1});
        QCOMPARE(made.ignored("arrows"), std::int64_t{2});
        QCOMPARE(made.ignored("E without B"), std::int64_t{1});
        QCOMPARE(made.ignored("B without E"), std::int64_t{1});
        QCOMPARE(made.ignored("without a time"), std::int64_t{1});
        QCOMPARE(made.ignored("no objects"), std::int64_t{1});
    }

    /// What Shardlab exports comes back: every span with its kind, action, step, bytes and value.
    void ourOwnExportComesBack() {
        RandomEvents random(freshSeed());
        RunHeader header;
        header.layout.parallel.data = 2;
        header.layout.parallel.pipeline = 2;
        std::vector<Event> spans, predicted;
        for (int i = 0; i < 400; ++i) {
            Event event;
            event.begin = random.below(1'000'000);
            event.end = event.begin + random.below(50'000);
            event.rank = static_cast<std::int16_t>(random.below(4));
            event.lane = i % 3 == 0 ? Lane::Comm : Lane::Compute;
            event.kind = i % 3 == 0 ? EventKind::SendForward : EventKind::Forward;
            event.action = actionId({i % 3 == 0 ? ActionKind::SendForward : ActionKind::Forward, event.rank / 2,
                                     static_cast<int>(random.below(8)), -1});
            event.step = static_cast<std::int32_t>(random.below(5));
            event.bytes = random.below(1 << 20);
            event.value = static_cast<double>(random.below(7)) / 4;
            (i % 10 == 0 ? predicted : spans).push_back(event);
        }
        std::ranges::sort(spans, {}, &Event::end);
        Event counter{.begin = 5, .end = 5, .value = 2.5, .rank = 1, .lane = Lane::Host, .kind = EventKind::Loss};
        const std::filesystem::path run = path("run.shardlab");
        auto writer = RunWriter::create(run, header);
        QVERIFY(writer);
        QVERIFY((*writer)->append(spans) && (*writer)->appendPredicted(predicted) &&
                (*writer)->append(std::span(&counter, 1)));
        QVERIFY((*writer)->finish({"finished", ""}));
        QVERIFY(exportRun(**RunReader::open(run), *findExportFormat("chrome"), path("run.json")));
        const Imported made = import({path("run.json")});
        QVERIFY(made.run);
        QVERIFY2(made.report.ignored.empty(), made.report.ignored.empty() ? "" : made.report.ignored[0].what.c_str());
        std::vector<Event> back;
        std::ranges::copy_if(made.events, std::back_inserter(back),
                             [](const Event& event) { return isSpan(event.kind); });
        QVERIFY(sameEvents(back, spans));
        QVERIFY(sameEvents(*made.run->predicted(), predicted));
        QCOMPARE(made.of(EventKind::Loss, 1).size(), std::size_t{1});
        QCOMPARE(made.of(EventKind::Loss, 1)[0].value, 2.5);
        QCOMPARE(made.of(EventKind::Loss, 1)[0].begin, std::int64_t{5});
    }

    /// An imported run exported and imported again is the same run.
    void namesSurviveARoundTrip() {
        const Imported first = import({traces / "kineto-rank0.json", traces / "kineto-rank1.json"});
        QVERIFY(first.run);
        QVERIFY(exportRun(*first.run, *findExportFormat("chrome"), path("again.json")));
        const Imported second = import({path("again.json")});
        QVERIFY(second.run);
        QCOMPARE(spansByName(second), spansByName(first));
    }

    void gzipIsUnpackedOnTheWay() {
        const std::string text = contentOf(traces / "kineto-rank0.json");
        const std::string packed = path("rank0.json.gz");
        pack("rank0.json.gz", text);
        const Imported plain = import({traces / "kineto-rank0.json"});
        const Imported unpacked = import({packed});
        QVERIFY(plain.run && unpacked.run);
        QVERIFY(sameEvents(plain.events, unpacked.events));
        const std::string whole = contentOf(packed);
        write(packed, whole.substr(0, whole.size() / 2));
        QVERIFY(errorOf({packed}).find("gzip data is damaged or cut off") != std::string::npos);
    }

    /// What packs a thousand times smaller than it is must not fill the memory: texts, numbers, blanks, nesting, all of
    /// it.
    void gzipUnpacksWithinBounds() {
        const std::string much(18 << 20, ' ');
        const auto filled = [&](char byte) { return std::string(much.size(), byte); };
        const std::string begin = R"({"traceEvents": [{"ph": "X", )";
        for (const std::string& rest : {"\"name\": \"" + filled('a'), "\"ts\": " + filled('1'), much}) {
            pack("long.json.gz", begin + rest);
            const std::string error = errorOf({path("long.json.gz")});
            QVERIFY2(error.find("long.json.gz, byte") != std::string::npos &&
                         error.find("more than 16.0 MiB") != std::string::npos,
                     error.c_str());
        }
        pack("deep.json.gz", R"({"traceEvents": [], "x": )" + std::string(1'000'000, '['));
        QVERIFY(errorOf({path("deep.json.gz")}).find("more than 512 deep") != std::string::npos);

        pack("zeros.gz", std::string(280 << 20, '\0'));
        const auto readAll = [&](UnpackLimits limits) {
            const auto in = InputStream::open(path("zeros.gz"), {}, limits);
            std::vector<char> some(1 << 20);
            while ((*in)->sgetn(some.data(), static_cast<std::streamsize>(some.size())) > 0) {}
            return (*in)->problem() ? (*in)->problem()->text() : std::string();
        };
        QVERIFY(readAll({}).find("200 unpacked bytes for each packed one") != std::string::npos);
        QVERIFY(readAll({.bytes = 1 << 24, .ratio = 2000}).find("unpacks to more than 16.0 MiB") != std::string::npos);
        QCOMPARE(readAll({.ratio = 2000}), std::string());
    }

    void namesAreOfABoundedLength() {
        write(path("names.json"), R"([{"ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "name": )" +
                                      ('"' + std::string(1 << 20, 'n') + "\"}]"));
        const Imported made = import({path("names.json")});
        QVERIFY(made.run);
        QCOMPARE(made.name(made.events.at(0)).size(), std::size_t{4096});
    }

    /// Times that fit a trace's own clock may lie further apart than a run's clock can show.
    void eventsDecadesApartAreRefusedByName() {
        write(path("apart.json"),
              R"([{"ph": "X", "ts": 0, "dur": 1, "pid": 1, "tid": 1, "name": "first"},)"
              R"({"ph": "X", "ts": 2000000000000000, "dur": 1, "pid": 1, "tid": 1, "name": "the late one"}])");
        const std::string error = errorOf({path("apart.json")});
        QVERIFY2(error.find("\"the late one\" goes from 2000000000000000000 to") != std::string::npos, error.c_str());
        QVERIFY2(error.find("Events within 36 years of the first one") != std::string::npos, error.c_str());
    }

    void moreProcessesThanRanksAreRefusedAtOnce() {
        std::string text = "[";
        for (int process = 0; process < 40'000; ++process)
            text += fmt::format(R"({}{{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": "p"}}}})",
                                process == 0 ? "" : ",", process);
        write(path("processes.json"), text + "]");
        QVERIFY(errorOf({path("processes.json")}).find("than the 32767 that a run can have") != std::string::npos);
    }

    void everyRefusalSaysWhatWhereAndWhy() {
        const auto refuses = [&](const std::string& content, std::initializer_list<const char*> words) {
            write(path("bad.json"), content);
            const std::string error = errorOf({path("bad.json")});
            for (const char* word : words)
                if (error.find(word) == std::string::npos) qWarning("\"%s\" is not in: %s", word, error.c_str());
            return std::ranges::all_of(words, [&](const char* word) { return error.find(word) != std::string::npos; });
        };
        QVERIFY(refuses("", {"bad.json", "empty"}));
        QVERIFY(refuses("hello", {"bad.json", "format is none that is known", "Importable are"}));
        QVERIFY(refuses(R"({"traceEvents": [{"ph": "X", "ts": 1, }]})", {"bad.json, byte 39", "no valid JSON"}));
        QVERIFY(refuses(R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a"})",
                        {"byte", "no valid JSON", "the text ends before the value does"}));
        QVERIFY(refuses(R"({"events": []})", {"bad.json", "has no list traceEvents"}));
        QVERIFY(refuses("[1, 2]", {"bad.json", "none of events"}));
        QVERIFY(refuses(R"({"traceEvents": []})", {"nothing in it"}));
        QVERIFY(
            refuses(R"([{"ph": "X", "ts": 1, "dur": "long", "pid": 1, "tid": 1, "name": "a"}])", {"nothing in it"}));
        QVERIFY(errorOf({path("nowhere.json")}).find("there is no such file") != std::string::npos);
        QVERIFY(errorOf({traces / "kineto-rank0.json", traces / "kineto-rank0.json"}).find("rank 0, and so does") !=
                std::string::npos);
        QVERIFY(errorOf({traces / "kineto-rank0.json", traces / "chrome-list.json"})
                    .find("cannot import the traces together") != std::string::npos);
        QCOMPARE(QDir(folder_->path()).entryList({"out*"}, QDir::Files), QStringList());
    }

    void aFileThatIsNoRunStays() {
        write(out(), "a letter");
        QVERIFY(errorOf({traces / "kineto-rank0.json"}).find("no run has that name") != std::string::npos);
        QCOMPARE(contentOf(out()), std::string("a letter"));
    }

    void cancellingLeavesNothing() {
        int calls = 0;
        const auto report = importRun({{traces / "kineto-rank0.json", traces / "kineto-rank1.json"}, out(), ""},
                                      [&](double) { return ++calls < 2; });
        QVERIFY(!report);
        QVERIFY(report.error().text().find("cancelled") != std::string::npos);
        QCOMPARE(QDir(folder_->path()).entryList(QDir::Files), QStringList());
    }

    /// A thousand damaged traces: a run or an error, never a crash or a hang.
    void noDamageBringsItDown() {
        RandomEvents random(freshSeed());
        const std::vector<std::string> sound{contentOf(traces / "kineto-rank0.json"),
                                             contentOf(traces / "chrome-list.json")};
        int made = 0;
        for (int i = 0; i < 1000; ++i) {
            std::string text = sound[static_cast<std::size_t>(random.below(2))];
            for (int change = 1 + static_cast<int>(random.below(8)); change > 0; --change) {
                const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
                switch (random.below(4)) {
                case 0: text[at] = static_cast<char>(random.below(256)); break;
                case 1: text.erase(at, static_cast<std::size_t>(random.below(40))); break;
                case 2:
                    text.insert(
                        at, text.substr(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size()))),
                                        60));
                    break;
                default: text[at] = "0123456789{}[]\",:-e."[random.below(20)]; break;
                }
            }
            write(path("damaged.json"), text);
            const auto report = importRun({{path("damaged.json")}, out(), ""});
            if (!report) continue;
            ++made;
            QVERIFY(RunReader::open(out()));
        }
        QVERIFY(made > 0);
    }

private:
    std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }
    void pack(const char* name, const std::string& text) const {
        gzFile out = gzopen(path(name).c_str(), "wb1");
        gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
        gzclose(out);
    }
    std::string out() const { return path("out.shardlab"); }

    Imported import(std::vector<std::filesystem::path> files) { return importAll({std::move(files), out(), ""}); }

    std::string errorOf(std::vector<std::filesystem::path> files) {
        const auto report = importRun({std::move(files), out(), ""});
        return report ? std::string() : report.error().text();
    }

    static bool sameEvents(std::vector<Event> a, std::vector<Event> b) {
        const auto order = [](const Event& x, const Event& y) {
            return std::tie(x.begin, x.end, x.rank, x.lane, x.kind, x.action, x.step, x.bytes, x.value) <
                   std::tie(y.begin, y.end, y.rank, y.lane, y.kind, y.action, y.step, y.bytes, y.value);
        };
        std::ranges::sort(a, order);
        std::ranges::sort(b, order);
        return a == b;
    }

    static std::map<std::string, int> spansByName(const Imported& made) {
        std::map<std::string, int> spans;
        for (const Event& event : made.events) {
            if (!isSpan(event.kind)) continue;
            std::ostringstream text;
            text << event.rank << ' ' << name(event.lane) << ' ' << name(event.kind) << ' ' << made.name(event) << ' '
                 << event.begin << ' ' << event.end << ' ' << event.step << ' ' << event.bytes;
            ++spans[text.str()];
        }
        return spans;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(ImportTest)
#include "import_test.moc"
