// SPDX-License-Identifier: Apache-2.0
// A run whose record is larger than the disk: where little is left the file stops growing, older events make room for
// newer ones, and the run goes on to its end. The disk is a small one of its own, in a namespace, which needs root.
#include "tests/support/seed.h"
#include "tests/trace/random_run.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

class DiskRoomTest : public QObject {
    Q_OBJECT
private:
    static constexpr int noDisk = 77;  ///< exit status: no such disk may be made here

    /// What is wrong, on a disk of 8 MiB; empty where nothing is.
    static std::string recorded(const std::filesystem::path& folder, std::uint32_t seed) {
        constexpr int ranks = 4, steps = 3000;
        RandomEvents random(seed);
        const RandomRun run = RandomRuns(random).make(ranks, steps, 0, 16);
        RunHeader header;
        header.layout = layoutOfRanks(ranks);
        const std::filesystem::path file = folder / "run.shardlab";
        auto writer = RunWriter::create(file, header);
        if (!writer) return writer.error().text();
        constexpr std::size_t portion = 10'000;
        bool told = false;
        for (std::size_t at = 0; at < run.events.size(); at += portion) {
            const auto part = std::span(run.events).subspan(at, std::min(portion, run.events.size() - at));
            const Status done = (*writer)->append(part).and_then([&] { return (*writer)->flush(); });
            if (!done) return "after " + std::to_string(at) + " events: " + done.error().text();
            for (const LogLine& line : (*writer)->takeNotices())
                told = told || line.text.find("are left on the disk") != std::string::npos;
        }
        if (const Status finished = (*writer)->finish({"finished", ""}); !finished) return finished.error().text();
        if (!told) return "nobody was told that the disk is nearly full";

        const auto reader = RunReader::open(file);
        if (!reader) return reader.error().text();
        if ((*reader)->damage()) return (*reader)->damage()->text();
        if ((*reader)->end().outcome != "finished") return "the record has no end";
        if ((*reader)->thinning().steps() == 0) return "nothing has made room";
        std::set<int> figures;
        const Status read = (*reader)->readFigures([&](const StepFigures& step) {
            if (step.times.step >= 0) figures.insert(step.times.step);
            return true;
        });
        if (!read) return read.error().text();
        if (figures.size() != steps) return std::to_string(figures.size()) + " steps have figures";
        std::set<int> whole;
        const Status events = (*reader)->readEvents([&](std::span<const Event> block) {
            for (const Event& event : block)
                if (event.kind == EventKind::Forward) whole.insert(event.step);
            return true;
        });
        if (!events) return events.error().text();
        if (!whole.contains(steps - 1)) return "the last step's events are not there";
        return {};
    }

private Q_SLOTS:
    void olderEventsMakeRoom() {
        const std::uint32_t seed = freshSeed();
        const QTemporaryDir folder;
        const std::string place = folder.path().toStdString();
        const pid_t child = ::fork();
        if (child == 0) {
            if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                ::mount("none", place.c_str(), "tmpfs", 0, "size=8m") != 0)
                ::_exit(noDisk);
            const std::string wrong = recorded(place, seed);
            if (!wrong.empty()) std::fprintf(stderr, "seed %u: %s\n", seed, wrong.c_str());
            ::_exit(wrong.empty() ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        if (WEXITSTATUS(status) == noDisk) QSKIP("mounting a tmpfs needs root");
        QCOMPARE(WEXITSTATUS(status), 0);
    }
};

QTEST_GUILESS_MAIN(DiskRoomTest)
#include "disk_room_test.moc"
