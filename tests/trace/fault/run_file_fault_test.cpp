// SPDX-License-Identifier: Apache-2.0
// Run files under attack: their recorder killed at any moment, the disk full, bytes flipped, the end cut off.
#include "engine/trace/run_file/run_file.h"

#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/launch/job/run_summary.h"
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/interchange/export.h"
#include "engine/trace/query/query.h"
#include "tests/support/damaged_block.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/trace/random_run.h"
#include "tests/support/wings.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// The i-th event of a stream that writer and checker both know.
Event numbered(std::int64_t i) {
    const auto mixed = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    Event event;
    event.begin = i * 1000 + static_cast<std::int64_t>(mixed >> 56);
    event.end = event.begin + static_cast<std::int64_t>(mixed >> 44 & 0xfff);
    event.bytes = static_cast<std::int64_t>(mixed >> 40 & 0xff);
    event.action = mixed >> 60;
    event.step = static_cast<std::int32_t>(i / 100);
    event.rank = static_cast<std::int16_t>(mixed >> 32 & 3);
    event.lane = static_cast<Lane>(mixed >> 30 & 3);
    event.kind = static_cast<EventKind>(1 + (mixed >> 24 & 15));
    return event;
}

std::vector<Event> numbered(std::int64_t from, std::int64_t count) {
    std::vector<Event> events;
    for (std::int64_t i = from; i < from + count; ++i) events.push_back(numbered(i));
    return events;
}

/// True where `got` is exactly the first `count` numbered events, each lane in order.
bool isBeginning(const std::vector<Event>& got, std::int64_t count) {
    if (static_cast<std::int64_t>(got.size()) != count) return false;
    std::vector<Event> sorted = got;
    std::ranges::stable_sort(sorted, {}, &Event::begin);
    if (!identical(sorted, numbered(0, count))) return false;
    std::map<std::pair<int, Lane>, std::int64_t> last;
    for (const Event& event : got) {
        std::int64_t& before = last[{event.rank, event.lane}];
        if (event.begin < before) return false;
        before = event.begin;
    }
    return true;
}

std::uint32_t fingerprint(std::span<const Event> block) {
    Bytes bytes;
    encodeEvents(block, bytes);
    return crc32c(bytes);
}

/// A counter that parent and child share.
class SharedCounter {
public:
    SharedCounter()
        : at_(::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                     0)),
          counter_(*std::construct_at(static_cast<std::atomic<std::int64_t>*>(at_), 0)) {}
    ~SharedCounter() { ::munmap(at_, sizeof(std::atomic<std::int64_t>)); }
    std::atomic<std::int64_t>& operator*() { return counter_; }

private:
    void* at_;
    std::atomic<std::int64_t>& counter_;
};

}  // namespace

class RunFileFaultTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    /// 100 kills from before the file exists to after it is finished: it reads, with all that was flushed.
    void killsAtAnyMoment() {
        RandomEvents random(freshSeed());
        int during = 0;
        for (int round = 0; round < 100; ++round) {
            init();
            SharedCounter flushed;
            const pid_t child = ::fork();
            if (child == 0) record(*flushed);
            // Half of them while it records, after a certain flush; half around its begin.
            for (const std::int64_t target = round % 2 == 0 ? random.below(55000) : 0; *flushed < target;)
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
            ::kill(child, SIGKILL);
            int status = 0;
            ::waitpid(child, &status, 0);
            QVERIFY(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
            const std::int64_t promised = *flushed;
            if (!std::filesystem::exists(file())) {
                QCOMPARE(promised, std::int64_t{0});
                continue;
            }
            const auto reader = RunReader::open(file());
            QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
            std::vector<Event> got;
            const Status read = (*reader)->readEvents([&](std::span<const Event> block) {
                got.insert(got.end(), block.begin(), block.end());
                return true;
            });
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            const auto count = static_cast<std::int64_t>(got.size());
            QVERIFY2(count >= promised, qPrintable(QString("%1 of %2").arg(count).arg(promised)));
            QVERIFY(isBeginning(got, count));
            QCOMPARE((*reader)->eventCount(), count);
            if (WIFSIGNALED(status) && count > 0) ++during;
            // And the place can be recorded into again.
            QVERIFY((*RunWriter::create(file(), {}))->finish({"finished", ""}));
        }
        qInfo("%d of 100 kills struck while events were being recorded", during);
        QVERIFY(during > 10);
    }

    /// A disk that is really full: the error says so, what was flushed reads, and with room again nothing is missing.
    void aFullDisk() {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(fillDisk());
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) QSKIP("no small file system can be mounted here");
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    /// Whatever bytes are flipped: no crash, an error that names the file or all is well, and never a wrong event.
    void flippedBytes() {
        RandomEvents random(freshSeed());
        const std::set<std::uint32_t> whole = recordSample(random);
        const std::string original = *readFile(file());
        int opened = 0, refused = 0, damaged = 0;
        for (int round = 0; round < 1500; ++round) {
            std::string bytes = original;
            // Every third round aims at the first pages, where the structure is.
            const auto range = static_cast<std::int64_t>(round % 3 == 0 ? 16384 : bytes.size());
            for (std::int64_t flips = 1 + random.below(6); flips > 0; --flips)
                bytes[static_cast<std::size_t>(random.below(range))] = static_cast<char>(random.below(256));
            write(bytes);
            const Attempt attempt = read(whole);
            QVERIFY(!attempt.wrongEvent && !attempt.unnamedError);
            if (!attempt.opened) ++refused;
            if (attempt.opened) attempt.readError ? ++damaged : ++opened;
        }
        qInfo("1500 damaged files: %d refused, %d read up to the damage, %d unharmed", refused, damaged, opened);
        QVERIFY(refused > 0 && damaged > 0);
    }

    /// One bit anywhere, in rows, keys, the pages' structure or space that nothing uses: whatever is asked of the run
    /// is answered as before, or there is an error.
    void aFlippedBitChangesNoAnswer() {
        RandomEvents random(freshSeed());
        recordAnswerable(random);
        const std::string original = *readFile(file());
        const std::vector<Answered> whole = answers();
        for (const Answered& each : whole)
            QVERIFY2(each.error.empty() || each.what == "compare", (each.what + ": " + each.error).c_str());
        int told = 0;
        for (int round = 0; round < 300; ++round) {
            std::string bytes = original;
            // Every other round aims at where pages begin, with their structure and the keys of their rows.
            const std::int64_t page = random.below(static_cast<std::int64_t>(bytes.size()) / pageSize) * pageSize;
            const std::int64_t at =
                round % 2 == 0 ? page + random.below(64) : random.below(static_cast<std::int64_t>(bytes.size()));
            const auto bit = static_cast<int>(random.below(8));
            bytes[static_cast<std::size_t>(at)] = static_cast<char>(bytes[static_cast<std::size_t>(at)] ^ (1 << bit));
            write(bytes);
            const std::vector<Answered> now = answers();
            for (std::size_t i = 0; i < now.size(); ++i) {
                if (!now[i].error.empty()) continue;
                const bool same = now[i].answer == whole[i].answer && whole[i].error.empty();
                QVERIFY2(
                    same,
                    qPrintable(QString("bit %1 of byte %2 changes %3").arg(bit).arg(at).arg(whole[i].what.c_str())));
            }
            told += std::ranges::any_of(
                        now, [](const Answered& each) { return !each.error.empty() && each.what != "compare"; })
                        ? 1
                        : 0;
        }
        qInfo("%d of 300 flipped bits were told", told);
        QVERIFY(told > 30);
    }

    void cutFiles() {
        RandomEvents random(freshSeed());
        const std::set<std::uint32_t> whole = recordSample(random);
        const std::string original = *readFile(file());
        int partly = 0;
        for (int round = 0; round < 300; ++round) {
            write(
                original.substr(0, static_cast<std::size_t>(random.below(static_cast<std::int64_t>(original.size())))));
            const Attempt attempt = read(whole);
            QVERIFY(!attempt.wrongEvent && !attempt.unnamedError);
            QVERIFY(!attempt.opened || attempt.readError || attempt.blocks == whole.size());
            if (attempt.opened && attempt.blocks > 0 && attempt.readError) ++partly;
        }
        qInfo("%d of 300 cut files gave what precedes the cut", partly);
        QVERIFY(partly > 50);
    }

    void aFileCutWithinItsFirstPageIsSaidToBeCut() {
        RandomEvents random(freshSeed());
        recordSample(random);
        const std::string original = *readFile(file());
        for (const std::size_t length : {200, 1000, 3000}) {
            write(original.substr(0, length));
            const auto run = RunReader::open(file());
            QVERIFY(!run);
            QVERIFY2(run.error().text().find("truncated") != std::string::npos, run.error().text().c_str());
        }
    }

    /// SQLite refuses the damaged number of its schema's format, so a copy is tried, which no error may name.
    void anErrorOfACopyNamesTheFile() {
        RandomEvents random(freshSeed());
        const std::set<std::uint32_t> whole = recordSample(random);
        std::string bytes = *readFile(file());
        constexpr std::size_t lastByteOfSchemaFormat = 47;
        bytes[lastByteOfSchemaFormat] = 9;
        write(bytes);
        const Attempt attempt = read(whole);
        QVERIFY(!attempt.opened && !attempt.unnamedError);
    }

    void randomBytesBehindTheRightBeginning() {
        RandomEvents random(freshSeed());
        recordSample(random);
        const std::string original = *readFile(file());
        for (int round = 0; round < 200; ++round) {
            std::string bytes = original.substr(0, 100);
            for (std::int64_t size = random.below(40000); size > 0; --size)
                bytes += static_cast<char>(random.below(256));
            write(bytes);
            const Attempt attempt = read({});
            QVERIFY(!attempt.opened);
        }
    }

    /// One damaged block: it is named, and all the others are given.
    void theDamagedBlockIsNamed() {
        RandomEvents random(freshSeed());
        const std::set<std::uint32_t> whole = recordSample(random);
        QVERIFY(test::damageBlock(file(), 1 + random.below(static_cast<std::int64_t>(whole.size()))) > 0);
        const auto reader = RunReader::open(file());
        QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
        std::size_t blocks = 0;
        const Status read = (*reader)->readEvents([&](std::span<const Event>) { return ++blocks > 0; });
        QVERIFY(!read);
        const QString text = QString::fromStdString(read.error().text());
        QVERIFY2(text.contains(QRegularExpression("block \\d+ \\(rank \\d+, \\w+ lane\\) fails its checksum")),
                 qPrintable(text));
        QCOMPARE(blocks, whole.size() - 1);
    }

private:
    struct Attempt {
        bool opened = false;
        bool readError = false;
        bool wrongEvent = false;
        bool unnamedError = false;  ///< an error does not name the file
        std::size_t blocks = 0;
    };

    static constexpr std::int64_t pageSize = 4096;

    /// What one question to the file gave.
    struct Answered {
        std::string what, answer, error;
    };

    std::string file() const { return folder_->filePath("run.shardlab").toStdString(); }

    /// Several ranks, steps and blocks, a log, names, notes: every table has rows, and several pages.
    void recordAnswerable(RandomEvents& random) {
        RunHeader header;
        header.layout.parallel.data = 3;
        const RandomRun run = RandomRuns(random).make(3, 100, 1, 2);
        auto writer = RunWriter::create(file(), header);
        QVERIFY(writer);
        for (std::size_t at = 0; at < run.events.size(); at += 1000) {
            QVERIFY((*writer)->append(
                std::span(run.events).subspan(at, std::min<std::size_t>(1000, run.events.size() - at))));
            QVERIFY((*writer)->flush());
        }
        QVERIFY((*writer)->appendPredicted(random.plausible(300, 0)));
        for (int rank = 0; rank < 3; ++rank) QVERIFY((*writer)->setRank({rank, "host", 100 + rank, "dp0", "finished"}));
        for (int line = 0; line < 300; ++line)
            QVERIFY((*writer)->append(LogLine{line, -1, LogLevel::Info, "a line of log"}));
        for (std::uint32_t number = 1; number < 60; ++number)
            QVERIFY((*writer)->addName(number, "name " + std::to_string(number)));
        QVERIFY((*writer)->finish({"finished", ""}));
        for (int i = 0; i < 3; ++i) {
            Note note{0, i, -1, "a note", ""};
            QVERIFY(keepNote(file(), note));
        }
    }

    std::vector<Answered> answers() const {
        std::vector<Answered> all;
        std::string opening;
        const auto reader = RunReader::open(file());
        if (!reader) opening = reader.error().text();
        const auto add = [&](const std::string& what, const auto& asked) {
            Answered& one = all.emplace_back(Answered{what, {}, opening});
            if (!reader) return;
            const Status done = asked(one.answer);
            if (!done) one.error = done.error().text();
            else if ((*reader)->damage()) one.error = (*reader)->damage()->text();
        };
        std::vector<std::string> questions{
            "SELECT * FROM events WHERE rank = 1 AND lane = 'compute'", "SELECT * FROM events LIMIT 500",
            "SELECT sum(duration_ns) FROM events WHERE begin_ns > 30000", "SELECT * FROM rank_steps WHERE step = 30",
            "SELECT count(*), max(end_ns) FROM events WHERE source = 'predicted'"};
        for (const TableHelp& table : queryTables()) questions.push_back("SELECT * FROM " + std::string(table.name));
        for (const std::string& question : questions)
            add(question, [&](std::string& answer) -> Status {
                const auto query = RunQuery::open(**reader);
                if (!query) return fail(query.error());
                return (*query)->ask(question, {[](const auto&) {},
                                                [&](std::span<const Cell> row) {
                                                    for (const Cell& cell : row) answer += toText(cell) + ',';
                                                    return true;
                                                },
                                                {}});
            });
        add("info", [&](std::string& answer) -> Status {
            const auto summary = summarize(**reader);
            if (!summary) return fail(summary.error());
            answer = toJson(*summary, file());
            return {};
        });
        add("compare", [&](std::string& answer) -> Status {
            const auto comparison = compareRuns(**reader, **reader);
            if (!comparison) return fail(comparison.error());
            answer = toJson(*comparison, file(), file());
            return {};
        });
        add("export", [&](std::string& answer) -> Status {
            const std::string out = folder_->filePath("out.json").toStdString();
            const Status done = exportRun(**reader, *findExportFormat("chrome"), out);
            if (done) answer = *readFile(out);
            return done;
        });
        return all;
    }

    void write(const std::string& bytes) const {
        std::ofstream(file(), std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

    [[noreturn]] void record(std::atomic<std::int64_t>& flushed) const {
        auto writer = RunWriter::create(file(), {});
        if (!writer) ::_exit(1);
        for (std::int64_t at = 0; at < 60000;) {
            const std::int64_t count = 1 + at % 1777;
            if (!(*writer)->append(numbered(at, count))) ::_exit(2);
            at += count;
            if (at % 3 == 0) continue;
            if (!(*writer)->flush()) ::_exit(3);
            flushed = at;
        }
        ::_exit((*writer)->finish({"finished", ""}) ? 0 : 4);
    }

    /// Many small blocks, a log, ranks. Fingerprints of its blocks.
    std::set<std::uint32_t> recordSample(RandomEvents& random) {
        auto writer = RunWriter::create(file(), {});
        if (!writer) return {};
        for (int rank = 0; rank < 8; ++rank) {
            static_cast<void>((*writer)->setRank({rank, "host", 100 + rank, "dp0", "finished"}));
            static_cast<void>((*writer)->append(random.plausible(3000, rank)));
            static_cast<void>((*writer)->append(LogLine{rank, rank, LogLevel::Info, "a line of log"}));
        }
        static_cast<void>((*writer)->appendPredicted(random.plausible(300, 0)));
        static_cast<void>((*writer)->finish({"finished", ""}));
        std::set<std::uint32_t> blocks;
        const auto reader = RunReader::open(file());
        if (!reader) return {};
        static_cast<void>((*reader)->readEvents(
            [&](std::span<const Event> block) { return blocks.insert(fingerprint(block)).second; }));
        return blocks;
    }

    Attempt read(const std::set<std::uint32_t>& whole) const {
        Attempt attempt;
        const auto named = [&](const Error& error) {
            if (error.text().find(file()) == std::string::npos)
                qWarning("an error without its file: %s", error.text().c_str());
            return error.text().find(file()) != std::string::npos;
        };
        const auto reader = RunReader::open(file());
        if (!reader) {
            attempt.unnamedError = !named(reader.error());
            return attempt;
        }
        attempt.opened = true;
        const Status read = (*reader)->readEvents([&](std::span<const Event> block) {
            ++attempt.blocks;
            attempt.wrongEvent = attempt.wrongEvent || !whole.contains(fingerprint(block));
            return true;
        });
        attempt.readError = !read;
        if (!read) attempt.unnamedError = attempt.unnamedError || !named(read.error());
        if (const auto log = (*reader)->log(); !log) attempt.unnamedError = attempt.unnamedError || !named(log.error());
        if (const auto predicted = (*reader)->predicted(); !predicted)
            attempt.unnamedError = attempt.unnamedError || !named(predicted.error());
        return attempt;
    }

    /// In a child: 77 where nothing can be mounted, 0 where all went well, else the line of the failed check.
    int fillDisk() const {
        const std::string place = folder_->path().toStdString();
        if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
        static_cast<void>(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
        if (::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=600k") != 0) return 77;
        auto writer = RunWriter::create(file(), {});
        if (!writer) return 1;
        std::int64_t given = 0;
        std::int64_t stored = 0;
        Status status;
        while (status && given < 10'000'000) {
            status = (*writer)->append(numbered(given, 1000));
            given += 1000;
            if (status) status = (*writer)->flush();
            if (status) stored = given;
        }
        if (status) return 2;
        if (status.error().text().find("full") == std::string::npos ||
            status.error().text().find(file()) == std::string::npos)
            return 3;
        if (stored == 0) return 4;
        if ((*writer)->flush()) return 5;
        if (RunWriter::create(place + "/second.shardlab", {})) return 6;
        if (::mount("tmpfs", place.c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) return 7;
        if (!(*writer)->flush()) return 8;
        if (!(*writer)->finish({"failed", "the disk was full"})) return 9;
        const auto reader = RunReader::open(file());
        if (!reader) return 10;
        std::vector<Event> got;
        const Status read = (*reader)->readEvents([&](std::span<const Event> block) {
            got.insert(got.end(), block.begin(), block.end());
            return true;
        });
        return read && isBeginning(got, given) ? 0 : 11;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(RunFileFaultTest)
#include "run_file_fault_test.moc"
