// SPDX-License-Identifier: Apache-2.0
// What may happen to a checkpoint on a disk: the writer is killed at any call, any call fails, any byte changes.
#include "tests/support/faulty_files.h"
#include "tests/support/sample_checkpoint.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

/// Calls `strike` before the k-th call of any kind; a write is cut in its middle.
class StrikingFileSystem final : public FileSystem {
public:
    StrikingFileSystem(int at, std::function<void()> strike) : left_(at), strike_(std::move(strike)) {}
    Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) override {
        count();
        auto opened = disk_.open(file, mode);
        if (!opened) return opened;
        return std::make_unique<StrikingFile>(*this, std::move(*opened));
    }
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        count();
        return disk_.rename(from, to);
    }
    Status remove(const std::filesystem::path& file) override {
        count();
        return disk_.remove(file);
    }
    Status createFolder(const std::filesystem::path& folder) override {
        count();
        return disk_.createFolder(folder);
    }
    Status removeFolder(const std::filesystem::path& folder) override {
        count();
        return disk_.removeFolder(folder);
    }
    Status syncFolder(const std::filesystem::path& folder) override {
        count();
        return disk_.syncFolder(folder);
    }

private:
    class StrikingFile final : public File {
    public:
        StrikingFile(StrikingFileSystem& files, std::unique_ptr<File> file) : files_(files), file_(std::move(file)) {}
        Result<std::size_t> write(std::span<const std::byte> bytes) override {
            if (files_.left_ == 1) static_cast<void>(file_->write(bytes.first(bytes.size() / 2)));
            files_.count();
            return file_->write(bytes);
        }
        Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) override {
            return file_->read(bytes, offset);
        }
        Status truncate(std::uint64_t size) override { return file_->truncate(size); }
        Status sync() override {
            files_.count();
            return file_->sync();
        }

    private:
        StrikingFileSystem& files_;
        std::unique_ptr<File> file_;
    };
    void count() {
        if (--left_ == 0) strike_();
    }

    DiskFileSystem disk_;
    int left_;
    std::function<void()> strike_;
};

}  // namespace

class CheckpointFaultTest : public QObject {
    Q_OBJECT

private:
    static std::filesystem::path path(const QTemporaryDir& folder) { return folder.path().toStdString(); }

    /// Every name that counts as a checkpoint is one of the states written, whole.
    static void requireWhole(const std::filesystem::path& folder, const std::vector<const SampleCheckpoint*>& states,
                             const QByteArray& when) {
        DiskFileSystem files;
        for (const CheckpointPlace& place : listCheckpoints(folder)) {
            const Status whole = verifyCheckpoint(files, place.path);
            QVERIFY2(whole.has_value(),
                     whole ? "" : (when + ": " + QByteArray::fromStdString(whole.error().text())).constData());
            const auto& state = *states.at(static_cast<std::size_t>(place.serial - 1));
            QVERIFY2(state.equals(place.path), (when + ": a mixture").constData());
        }
    }

private Q_SLOTS:
    void killedAtEveryCallLeavesOldOrNew() {
        const quint32 seed = freshSeed();
        const SampleCheckpoint first(seed), second(seed + 1), third(seed + 2);
        const std::vector<const SampleCheckpoint*> states{&first, &second, &third};
        int kills = 0;
        for (bool survived = false; !survived;) {
            QTemporaryDir folder;
            DiskFileSystem disk;
            QVERIFY(first.write(disk, path(folder), 1, 10, 2) && second.write(disk, path(folder), 2, 20, 2));
            const pid_t child = ::fork();
            if (child == 0) {
                StrikingFileSystem files(kills + 1, [] { ::kill(::getpid(), SIGKILL); });
                ::_exit(third.write(files, path(folder), 3, 30, 2) ? 0 : 1);
            }
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            survived = WIFEXITED(status);
            QVERIFY(!survived || WEXITSTATUS(status) == 0);
            if (!survived) ++kills;
            const QByteArray when = "killed at call " + QByteArray::number(kills);
            requireWhole(path(folder), states, when);
            const auto newest = findCheckpoint(path(folder));
            QVERIFY2(newest.has_value(), when.constData());
            const auto places = listCheckpoints(path(folder));
            QVERIFY2(places.size() >= 2 && places.back().serial >= 2, when.constData());

            // The next to write there clears away what is left.
            QVERIFY(tidyCheckpoints(disk, path(folder), 2));
            QCOMPARE(std::distance(std::filesystem::directory_iterator(path(folder)), {}), std::ptrdiff_t{2});
            requireWhole(path(folder), states, when);
        }
        qInfo("killed at each of %d calls", kills);
        QVERIFY(kills > 20);
    }

    /// Whoever may write beside checkpoints could have other folders emptied by what looks like a checkpoint.
    void tidyingFollowsNoLinkAndTakesOnlyCheckpoints() {
        QTemporaryDir folder, elsewhere;
        DiskFileSystem disk;
        const SampleCheckpoint state(freshSeed());
        QVERIFY(state.write(disk, path(folder), 3, 30, 2));
        QVERIFY(replaceFile(path(elsewhere) / "precious", "thesis"));
        const pid_t gone = ::fork();
        if (gone == 0) ::_exit(0);
        QCOMPARE(::waitpid(gone, nullptr, 0), gone);
        const std::string mark = ".unfinished-" + std::to_string(gone);
        for (const std::string& name :
             {std::string("000001-step-10"), std::string("000002-step-20.removed"), "000004-step-40" + mark})
            std::filesystem::create_directory_symlink(path(elsewhere), path(folder) / name);
        for (const std::string& name : {std::string("letters.removed"), "letters" + mark}) {
            std::filesystem::create_directory(path(folder) / name);
            QVERIFY(replaceFile(path(folder) / name / "letter", "Dear all"));
        }
        std::filesystem::create_directory(path(folder) / ("000005-step-50" + mark + "-0123456789abcdef"));
        QVERIFY(tidyCheckpoints(disk, path(folder), 1));
        QVERIFY(readFile(path(elsewhere) / "precious").has_value());
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System, QDir::Name),
                 QStringList({"000003-step-30", "letters.removed", QString::fromStdString("letters" + mark)}));
    }

    void everyFailingCallIsAnErrorAndLeavesNoFalseCheckpoint_data() {
        QTest::addColumn<int>("call");
        QTest::newRow("open") << int(FileCall::Open);
        QTest::newRow("write") << int(FileCall::Write);
        QTest::newRow("sync") << int(FileCall::Sync);
        QTest::newRow("rename") << int(FileCall::Rename);
        QTest::newRow("create folder") << int(FileCall::CreateFolder);
        QTest::newRow("sync folder") << int(FileCall::SyncFolder);
        QTest::newRow("remove") << int(FileCall::Remove);
        QTest::newRow("remove folder") << int(FileCall::RemoveFolder);
    }
    void everyFailingCallIsAnErrorAndLeavesNoFalseCheckpoint() {
        QFETCH(int, call);
        const quint32 seed = freshSeed();
        const SampleCheckpoint first(seed), second(seed + 1);
        int failures = 0;
        for (int at = 1;; ++at) {
            QTemporaryDir folder;
            DiskFileSystem disk;
            QVERIFY(first.write(disk, path(folder), 1, 10, 1));
            FaultyFileSystem files({static_cast<FileCall>(call), at});
            const Status written = second.write(files, path(folder), 2, 20, 1);
            if (files.struck() == 0) break;
            ++failures;
            const QByteArray when = "seed " + QByteArray::number(seed) + ", call " + QByteArray::number(at);
            QVERIFY2(!written, when.constData());
            QVERIFY2(written.error().text().find("No space left") != std::string::npos, written.error().text().c_str());
            requireWhole(path(folder), {&first, &second}, when);
            QVERIFY2(!listCheckpoints(path(folder)).empty(), when.constData());
        }
        QVERIFY(failures > 0);
    }

    /// The checkpoint's manifest is whole and fits its checksum, but names nothing to go on from.
    void withoutShardsItIsNone() {
        QTemporaryDir folder;
        DiskFileSystem disk;
        const auto unfinished = unfinishedCheckpoint(path(folder), 1, 10, "1");
        QVERIFY(disk.createFolder(unfinished));
        const auto made = commitCheckpoint(disk, unfinished, CheckpointManifest{});
        QVERIFY(made && readManifest(*made));
        const Status whole = verifyCheckpoint(disk, *made);
        QVERIFY(!whole);
        QVERIFY2(whole.error().text().find("holds no weights") != std::string::npos, whole.error().text().c_str());
    }

    /// A thousand files, each with one bit turned, one byte taken out or one put in, or cut short.
    void everyChangedByteIsNoticed() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        const SampleCheckpoint state(seed);
        QTemporaryDir folder;
        DiskFileSystem disk;
        QVERIFY(state.write(disk, path(folder), 1, 10, 1));
        const auto checkpoint = findCheckpoint(path(folder));
        QVERIFY(checkpoint.has_value() && verifyCheckpoint(disk, *checkpoint));
        std::vector<std::filesystem::path> names;
        for (const auto& entry : std::filesystem::directory_iterator(*checkpoint)) names.push_back(entry.path());
        QCOMPARE(names.size(), std::size_t{4});
        for (int i = 0; i < 1000; ++i) {
            const auto& name = names[static_cast<std::size_t>(random.bounded(4))];
            const std::string before = readFile(name).value();
            std::string after = before;
            const auto at = static_cast<std::size_t>(random.bounded(static_cast<int>(before.size())));
            const int what = random.bounded(4);
            if (what == 0) after[at] = static_cast<char>(after[at] ^ (1 << random.bounded(8)));
            if (what == 1) after.erase(at, 1);
            if (what == 2) after.insert(at, 1, static_cast<char>(random.bounded(256)));
            if (what == 3) after.resize(at);
            QVERIFY(replaceFile(name, after));
            const Status noticed = verifyCheckpoint(disk, *checkpoint);
            QVERIFY2(!noticed, qPrintable(QString("seed %1, case %2: change %3 at %4 of %5 unnoticed")
                                              .arg(seed)
                                              .arg(i)
                                              .arg(what)
                                              .arg(at)
                                              .arg(name.c_str())));
            QVERIFY2(noticed.error().where.english().find(checkpoint->filename().string()) != std::string::npos,
                     noticed.error().text().c_str());
            QVERIFY(replaceFile(name, before));
        }
        QVERIFY(verifyCheckpoint(disk, *checkpoint));
        for (const auto& name : names) {
            const std::string before = readFile(name).value();
            std::filesystem::remove(name);
            QVERIFY2(!verifyCheckpoint(disk, *checkpoint), name.c_str());
            QVERIFY(replaceFile(name, before));
        }
    }
};

QTEST_GUILESS_MAIN(CheckpointFaultTest)
#include "checkpoint_fault_test.moc"
