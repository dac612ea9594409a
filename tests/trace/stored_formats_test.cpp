// SPDX-License-Identifier: Apache-2.0
// Run files and checkpoints of every format that was ever written, kept in tests/trace/runs: each version opens all of
// them, and none is changed by it. format-3 was recorded by the version that wrote it; format-5 and checkpoint-1 belong
// to one run of two stages; format-4 is format-5 without the seals that came with it. Formats 1 and 2 had fewer tables
// than 3, and are made of it.
#include "engine/base/file.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/trace/metrics/summary.h"
#include "engine/trace/query/query.h"
#include "engine/trace/run_file/run_schema.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class StoredFormatsTest : public QObject {
    Q_OBJECT
private:
    static std::filesystem::path kept() { return std::filesystem::path(SHARDLAB_SOURCE_DIR) / "tests/trace/runs"; }
    QTemporaryDir folder_;

    /// A run file of that format, where it may be read or broken.
    std::filesystem::path fileOf(std::int64_t format) const {
        const std::filesystem::path file = folder_.filePath("run.shardlab").toStdString();
        const std::int64_t stored = std::max<std::int64_t>(format, 3);
        std::filesystem::copy_file(kept() / ("format-" + std::to_string(stored) + ".shardlab"), file,
                                   std::filesystem::copy_options::overwrite_existing);
        if (format >= stored) return file;
        auto older = Database::open(file, DatabaseMode::Write);
        const std::string sql = std::string("DROP TABLE note;") + (format < 2 ? "DROP TABLE name;" : "") +
                                "PRAGMA user_version = " + std::to_string(format);
        if (!older || !older->run(sql.c_str())) qFatal("an older format could not be made");
        return file;
    }

private Q_SLOTS:
    /// Whoever makes a new format stores a file of the one before it.
    void theNewestFormatIsStored() {
        QVERIFY(std::filesystem::exists(kept() / ("format-" + std::to_string(runFormatVersion) + ".shardlab")));
    }

    void everyRunFileOpens_data() {
        QTest::addColumn<qlonglong>("format");
        for (std::int64_t format = 1; format <= runFormatVersion; ++format)
            QTest::addRow("format %lld", static_cast<long long>(format)) << static_cast<qlonglong>(format);
    }
    void everyRunFileOpens() {
        QFETCH(qlonglong, format);
        const std::filesystem::path file = fileOf(format);
        const std::string before = readFile(file).value();
        {
            const auto run = RunReader::open(file);
            QVERIFY2(run, run ? "" : run.error().text().c_str());
            QVERIFY(!(*run)->damage());
            QCOMPARE((*run)->end().outcome, std::string("finished"));
            QCOMPARE((*run)->ranks().size(), std::size_t{2});
            std::int64_t events = 0;
            std::set<int> steps;
            QVERIFY((*run)->readEvents([&](std::span<const Event> block) {
                events += static_cast<std::int64_t>(block.size());
                for (const Event& event : block)
                    if (event.kind == EventKind::Step) steps.insert(event.step);
                return true;
            }));
            QCOMPARE(events, (*run)->eventCount());
            // Figures, stored or made of the events, tell of the same steps; and so does whoever asks.
            std::set<int> figures;
            QVERIFY((*run)->readFigures([&](const StepFigures& step) {
                if (step.times.step >= 0) figures.insert(step.times.step);  // the rest lies outside steps
                return true;
            }));
            QVERIFY(figures.size() >= 4);
            QVERIFY(figures == steps);
            QVERIFY((*run)->log() && (*run)->notes() && (*run)->predicted());
            const auto question = RunQuery::open(**run);
            QVERIFY(question);
            std::string counted;
            QVERIFY((*question)->ask("SELECT count(*) FROM steps", {[](const auto&) {},
                                                                    [&](std::span<const Cell> row) {
                                                                        counted = toText(row.front());
                                                                        return true;
                                                                    },
                                                                    {}}));
            QCOMPARE(counted, std::to_string(steps.size()));
        }
        QVERIFY(readFile(file).value() == before);
        for (const char* suffix : {"-wal", "-shm", "-journal"})
            QVERIFY(!std::filesystem::exists(file.string() + suffix));
    }

    /// A version that is not ours is named, and nothing is read of its file.
    void aLaterRunFileIsRefused() {
        const std::filesystem::path file = fileOf(runFormatVersion);
        {
            auto later = Database::open(file, DatabaseMode::Write);
            QVERIFY(later && later->run(("PRAGMA user_version = " + std::to_string(runFormatVersion + 1)).c_str()));
        }
        const auto run = RunReader::open(file);
        QVERIFY(!run);
        QVERIFY2(run.error().text().find(std::to_string(runFormatVersion + 1)) != std::string::npos,
                 run.error().text().c_str());
    }

    void everyCheckpointOpens() {
        DiskFileSystem files;
        const auto found = findCheckpoint(kept() / "checkpoint-1");
        QVERIFY(found);
        const Status whole = verifyCheckpoint(files, *found);
        QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
        const auto manifest = readManifest(*found);
        QVERIFY(manifest);
        QCOMPARE(manifest->step, std::int64_t{4});
        QCOMPARE(manifest->shards.size(), std::size_t{2});
        const auto state = StateSource::ofCheckpoint(files, *found, *manifest);
        QVERIFY2(state, state ? "" : state.error().text().c_str());
    }

    void aLaterCheckpointIsRefused() {
        const auto found = findCheckpoint(kept() / "checkpoint-1");
        QVERIFY(found);
        std::filesystem::copy(*found, folder_.filePath("later").toStdString());
        const std::filesystem::path file = folder_.filePath("later").toStdString() + "/" + std::string(manifestFile);
        std::string text = readFile(file).value();
        const std::size_t at = text.find("\"format\":");
        QVERIFY(at != std::string::npos);
        const std::size_t digit = text.find('1', at);
        text[digit] = '2';
        QVERIFY(replaceFile(file, text));
        const auto manifest = readManifest(folder_.filePath("later").toStdString());
        QVERIFY(!manifest);
    }
};

QTEST_GUILESS_MAIN(StoredFormatsTest)
#include "stored_formats_test.moc"
