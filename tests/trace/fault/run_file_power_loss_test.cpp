// SPDX-License-Identifier: Apache-2.0
// Power that goes while a run is recorded. SQLite's own way to the disk is followed, call by call: what it has synced
// is there afterwards, and of the rest any of its writes, whole or in part, as sectors of 512 bytes that do not wait
// for each other. What is left opens as an undamaged run whose lanes are what was recorded, up to some moment; and a
// run that had ended is there whole.
#include "engine/base/file.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/seed.h"
#include "tests/trace/random_run.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <map>
#include <random>
#include <sqlite3.h>

using namespace shardlab::test;

namespace {

/// What a file holds for sure, and what was done to it since.
struct Remembered {
    struct Write {
        std::size_t at = 0;
        std::vector<char> bytes;
        bool cuts = false;  ///< the file ends at `at`
    };
    std::vector<char> safe;
    std::vector<Write> pending;

    static void apply(std::vector<char>& content, const Write& write, std::size_t from, std::size_t count) {
        if (write.cuts) return content.resize(std::min(content.size(), write.at));
        content.resize(std::max(content.size(), write.at + from + count));
        std::copy_n(write.bytes.begin() + static_cast<std::ptrdiff_t>(from), count,
                    content.begin() + static_cast<std::ptrdiff_t>(write.at + from));
    }
    void sync() {
        for (const Write& write : pending) apply(safe, write, 0, write.bytes.size());
        pending.clear();
    }
    std::vector<char> after(std::mt19937& luck) const {
        constexpr std::size_t sector = 512;
        std::vector<char> content = safe;
        const bool orderly = luck() % 3 == 0;  // everything up to some moment
        std::size_t left = orderly ? luck() % (pending.size() + 1) : 0;
        for (const Write& write : pending) {
            if (orderly) {
                if (left == 0) break;
                --left;
                apply(content, write, 0, write.bytes.size());
                continue;
            }
            if (write.cuts) {
                if (luck() % 2 == 0) apply(content, write, 0, 0);
                continue;
            }
            for (std::size_t at = 0; at < write.bytes.size(); at += sector)
                if (luck() % 4 != 0) apply(content, write, at, std::min(sector, write.bytes.size() - at));
        }
        return content;
    }
};

/// Every file by its path. SQLite reaches nothing but globals.
std::map<std::string, Remembered>& disk() {
    static std::map<std::string, Remembered> files;
    return files;
}

sqlite3_vfs* below = nullptr;

/// One of SQLite's files: its own comes behind, in the same memory.
struct Followed {
    sqlite3_file base;
    Remembered* remembered;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    static Followed& of(sqlite3_file* file) { return *reinterpret_cast<Followed*>(file); }
};

template <auto Method, class... Arguments>
int passed(sqlite3_file* file, Arguments... arguments) {
    sqlite3_file* real = Followed::of(file).real();
    return (real->pMethods->*Method)(real, arguments...);
}
int writes(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
    const char* first = static_cast<const char*>(bytes);
    Followed::of(file).remembered->pending.push_back({static_cast<std::size_t>(at), {first, first + count}});
    return passed<&sqlite3_io_methods::xWrite>(file, bytes, count, at);
}
int truncates(sqlite3_file* file, sqlite3_int64 size) {
    Followed::of(file).remembered->pending.push_back({static_cast<std::size_t>(size), {}, true});
    return passed<&sqlite3_io_methods::xTruncate>(file, size);
}
int syncs(sqlite3_file* file, int flags) {
    Followed::of(file).remembered->sync();
    return passed<&sqlite3_io_methods::xSync>(file, flags);
}
void barrier(sqlite3_file* file) {
    sqlite3_file* real = Followed::of(file).real();
    real->pMethods->xShmBarrier(real);
}

const sqlite3_io_methods methods{
    .iVersion = 2,  // nothing is written through memory that is mapped
    .xClose = [](sqlite3_file* file) { return passed<&sqlite3_io_methods::xClose>(file); },
    .xRead = [](sqlite3_file* file, void* to, int count,
                sqlite3_int64 at) { return passed<&sqlite3_io_methods::xRead>(file, to, count, at); },
    .xWrite = writes,
    .xTruncate = truncates,
    .xSync = syncs,
    .xFileSize = [](sqlite3_file* file,
                    sqlite3_int64* size) { return passed<&sqlite3_io_methods::xFileSize>(file, size); },
    .xLock = [](sqlite3_file* file, int lock) { return passed<&sqlite3_io_methods::xLock>(file, lock); },
    .xUnlock = [](sqlite3_file* file, int lock) { return passed<&sqlite3_io_methods::xUnlock>(file, lock); },
    .xCheckReservedLock = [](sqlite3_file* file,
                             int* held) { return passed<&sqlite3_io_methods::xCheckReservedLock>(file, held); },
    .xFileControl = [](sqlite3_file* file, int what,
                       void* about) { return passed<&sqlite3_io_methods::xFileControl>(file, what, about); },
    .xSectorSize = [](sqlite3_file* file) { return passed<&sqlite3_io_methods::xSectorSize>(file); },
    .xDeviceCharacteristics = [](sqlite3_file*) { return 0; },  // a disk that promises nothing
    .xShmMap = [](sqlite3_file* file, int page, int size, int extend,
                  void volatile** at) { return passed<&sqlite3_io_methods::xShmMap>(file, page, size, extend, at); },
    .xShmLock = [](sqlite3_file* file, int at, int count,
                   int flags) { return passed<&sqlite3_io_methods::xShmLock>(file, at, count, flags); },
    .xShmBarrier = barrier,
    .xShmUnmap = [](sqlite3_file* file, int gone) { return passed<&sqlite3_io_methods::xShmUnmap>(file, gone); },
};

int opens(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flagsOut) {
    Followed& followed = Followed::of(file);
    followed.base.pMethods = nullptr;
    const int code = below->xOpen(below, name, followed.real(), flags, flagsOut);
    if (code != SQLITE_OK) return code;
    followed.base.pMethods = &methods;
    followed.remembered = &disk()[name != nullptr ? name : "nameless"];
    return code;
}
int deletes(sqlite3_vfs*, const char* name, int syncFolder) {
    disk()[name] = {};  // its files may be open still
    return below->xDelete(below, name, syncFolder);
}

/// SQLite of this program goes by way of the remembered disk from here on.
void follow() {
    below = sqlite3_vfs_find(nullptr);
    static sqlite3_vfs vfs = *below;
    vfs.zName = "followed";
    vfs.szOsFile = static_cast<int>(sizeof(Followed)) + below->szOsFile;
    vfs.xOpen = opens;
    vfs.xDelete = deletes;
    sqlite3_vfs_register(&vfs, 1);
}

using Lanes = std::map<std::pair<int, int>, std::vector<Event>>;

void add(Lanes& lanes, std::span<const Event> events) {
    for (const Event& event : events) lanes[{event.rank, static_cast<int>(event.lane)}].push_back(event);
}

}  // namespace

class RunFilePowerLossTest : public QObject {
    Q_OBJECT
private:
    /// What is left of the run after the loss, opened elsewhere. Empty: it is what it should be.
    static std::string wrongAfterLoss(const std::string& file, const Lanes& recorded, bool ended, std::mt19937& luck) {
        const QTemporaryDir folder;
        const std::string copy = folder.filePath("run.shardlab").toStdString();
        for (const char* suffix : {"", "-wal"}) {
            const auto known = disk().find(file + suffix);
            if (known == disk().end()) continue;
            const std::vector<char> left = known->second.after(luck);
            if (!replaceFile(copy + suffix, std::string_view(left.data(), left.size()))) return "cannot lay it out";
        }
        const auto run = RunReader::open(copy);
        if (!run) return run.error().text();
        if ((*run)->damage()) return (*run)->damage()->text();
        Lanes found;
        const Status read = (*run)->readEvents([&](std::span<const Event> block) {
            add(found, block);
            return true;
        });
        if (!read) return read.error().text();
        for (const auto& [lane, events] : found) {
            const auto known = recorded.find(lane);
            if (known == recorded.end() || events.size() > known->second.size() ||
                !std::equal(events.begin(), events.end(), known->second.begin()))
                return "a lane is not what was recorded";
        }
        if (ended && (found != recorded || (*run)->end().outcome != "finished"))
            return "the run had ended, and is not whole";
        return {};
    }

private Q_SLOTS:
    void initTestCase() { follow(); }

    void whatIsLeftIsARun_data() {
        QTest::addColumn<qlonglong>("limit");
        QTest::newRow("without a limit") << qlonglong{0};
        QTest::newRow("thinned") << qlonglong{1 << 20};
    }
    void whatIsLeftIsARun() {
        QFETCH(qlonglong, limit);
        constexpr int ranks = 2, steps = 600;
        const quint32 seed = freshSeed();
        std::mt19937 luck(seed);
        RandomEvents random(seed);
        const RandomRun run = RandomRuns(random).make(ranks, steps, 0, 6);
        const QTemporaryDir folder;
        // The writer makes its file beside, synced, and gives it its name.
        const std::string file = folder.filePath("run.shardlab").toStdString();
        RunHeader header;
        header.layout = layoutOfRanks(ranks);
        header.layout.run.sizeLimit = limit;
        disk().clear();
        auto writer = RunWriter::create(file, header);
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        const std::string made = readFile(file).value();
        disk()[file].safe.assign(made.begin(), made.end());
        disk()[file].pending.clear();

        Lanes recorded;
        std::int64_t losses = 0;
        const auto lose = [&](bool ended) -> std::string {
            for (int i = 0; i < 3; ++i, ++losses)
                if (const std::string wrong = wrongAfterLoss(file, recorded, ended, luck); !wrong.empty())
                    return QString("seed %1, loss %2: %3").arg(seed).arg(losses).arg(wrong.c_str()).toStdString();
            return {};
        };
        for (std::size_t at = 0; at < run.events.size();) {
            const auto part = std::span(run.events)
                                  .subspan(at, std::min<std::size_t>(1 + static_cast<std::size_t>(random.below(3000)),
                                                                     run.events.size() - at));
            at += part.size();
            QVERIFY((*writer)->append(part));
            QVERIFY((*writer)->flush());
            add(recorded, part);
            // Where details are thinned, lanes are no beginnings of what was recorded: only that it opens counts.
            if (limit > 0) recorded.clear();
            const std::string wrong = limit > 0 ? opensAfterLoss(file, luck) : lose(false);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
        QVERIFY((*writer)->finish({"finished", ""}));
        writer->reset();
        const std::string wrong = limit > 0 ? opensAfterLoss(file, luck) : lose(true);
        QVERIFY2(wrong.empty(), wrong.c_str());
        qInfo("seed %u: %lld losses", seed, static_cast<long long>(losses));
    }

private:
    static std::string opensAfterLoss(const std::string& file, std::mt19937& luck) {
        const std::string wrong = wrongAfterLoss(file, {}, false, luck);
        return wrong == "a lane is not what was recorded" ? std::string() : wrong;
    }
};

QTEST_GUILESS_MAIN(RunFilePowerLossTest)
#include "run_file_power_loss_test.moc"
