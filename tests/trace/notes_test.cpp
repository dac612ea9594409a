// SPDX-License-Identifier: Apache-2.0
// Notes beside a run: kept, changed, taken away, asked for; refused where the run is being recorded.
#include "engine/trace/run_file/notes.h"

#include "engine/trace/query/query.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class NotesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = std::filesystem::path(folder_->path().toStdString()) / "a.shardlab";
        auto writer = RunWriter::create(file_, RunHeader{});
        QVERIFY(writer);
        QVERIFY((*writer)->append(RandomEvents(freshSeed()).plausible(5000, 0)));
        QVERIFY((*writer)->finish({"finished", ""}));
    }

    void keptChangedTakenAway() {
        Note late{0, 900, 2, "rank 2 \"hangs\" here, µ", "2026-01-02T03:04:05Z"};
        Note early{0, 100, -1, "warm-up", "2026-01-02T03:04:06Z"};
        QVERIFY(keepNote(file_, late));
        QVERIFY(keepNote(file_, early));
        QVERIFY(late.id > 0 && early.id > 0 && late.id != early.id);
        QCOMPARE(notes(), (std::vector<Note>{early, late}));
        late.text = "rank 2 waits";
        QVERIFY(keepNote(file_, late));
        QCOMPARE(notes(), (std::vector<Note>{early, late}));
        QVERIFY(dropNote(file_, early.id));
        QVERIFY(dropNote(file_, 77));
        QCOMPARE(notes(), (std::vector<Note>{late}));
        const auto run = RunReader::open(file_);
        auto query = RunQuery::open(**run);
        std::vector<std::string> cells;
        QVERIFY((*query)->ask("SELECT time_ns, rank, text FROM notes", {[](const auto&) {},
                                                                        [&](std::span<const Cell> row) {
                                                                            for (const Cell& cell : row)
                                                                                cells.push_back(toText(cell));
                                                                            return true;
                                                                        },
                                                                        {}}));
        QCOMPARE(cells, (std::vector<std::string>{"900", "2", "rank 2 waits"}));
    }

    void aRunBeingRecordedIsLeftAlone() {
        const auto other = file_.parent_path() / "b.shardlab";
        auto writer = RunWriter::create(other, RunHeader{});
        QVERIFY(writer);
        QVERIFY((*writer)->flush());
        Note note{0, 1, -1, "now", ""};
        const Status kept = keepNote(other, note);
        QVERIFY(!kept);
        QVERIFY2(kept.error().text().find("being recorded") != std::string::npos, kept.error().text().c_str());
        QVERIFY((*writer)->finish({"finished", ""}));
        note.id = 0;
        QVERIFY(keepNote(other, note));
        QVERIFY(!keepNote(file_.parent_path() / "none.shardlab", note));
    }

    void anOlderFileIsBroughtUp() {
        const std::int64_t events = (*RunReader::open(file_))->eventCount();
        {
            auto older = Database::open(file_, DatabaseMode::Write);
            QVERIFY(older->run("DROP TABLE note; DROP TABLE name; PRAGMA user_version = 1"));
        }
        QVERIFY(notes().empty());
        Note note{0, 5, 0, "old", ""};
        QVERIFY(keepNote(file_, note));
        QCOMPARE(notes(), (std::vector<Note>{note}));
        auto database = Database::open(file_, DatabaseMode::Read);
        QCOMPARE(*database->number("PRAGMA user_version"), runFormatVersion);
        QCOMPARE((*RunReader::open(file_))->eventCount(), events);
    }

    void damageIsNamed() {
        Note note{0, 5, 0, "text", ""};
        QVERIFY(keepNote(file_, note));
        {
            auto damaged = Database::open(file_, DatabaseMode::Write);
            QVERIFY(damaged->run("UPDATE note SET text = 'other'"));
        }
        const auto read = (*RunReader::open(file_))->notes();
        QVERIFY(!read && read.error().text().find("note 1 fails its checksum") != std::string::npos);
    }

private:
    std::vector<Note> notes() const {
        const auto run = RunReader::open(file_);
        if (!run) return {};
        return (*run)->notes().value_or(std::vector<Note>{});
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::filesystem::path file_;
};

QTEST_GUILESS_MAIN(NotesTest)
#include "notes_test.moc"
