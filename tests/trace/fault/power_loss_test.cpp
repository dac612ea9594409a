// SPDX-License-Identifier: Apache-2.0
// Power that goes while checkpoints are written and removed. A disk keeps what was synced, and of the rest what it
// likes: bytes that were written may be there, missing, or zeros in a file that has grown; names that were made,
// changed or removed in a folder may be so or not, in any order. At every call of three checkpoints the power goes,
// several times with other luck each: a checkpoint that counts is one of those written, whole, and one that was
// reported is there.
#include "tests/support/sample_checkpoint.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <memory>
#include <random>
#include <set>

using namespace shardlab::test;

namespace {

/// Thrown out of the call at which the power goes.
struct PowerLoss {};

class FragileDisk final : public FileSystem {
public:
    FragileDisk(std::filesystem::path root, int lastsFor) : root_(std::move(root)), left_(lastsFor) {
        nodes_.push_back({.folder = true});
    }

    Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) override {
        spend();
        if (mode == OpenMode::Read) {
            const int node = find(file);
            if (node < 0) return fail({"cannot open the file", file.string(), "No such file or directory", ""});
            return std::make_unique<FragileFile>(*this, node);
        }
        const int parent = find(file.parent_path());
        if (parent < 0) return fail({"cannot write the file", file.string(), "No such file or directory", ""});
        nodes_.push_back({});
        const int node = static_cast<int>(nodes_.size()) - 1;
        change(parent, {.name = file.filename().string(), .node = node});
        return std::make_unique<FragileFile>(*this, node);
    }
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        spend();
        const int parent = find(from.parent_path()), node = find(from);
        if (node < 0 || find(to.parent_path()) != parent)
            return fail({"cannot replace the file", to.string(), "no", ""});
        change(parent, {.name = to.filename().string(), .node = node, .was = from.filename().string()});
        return {};
    }
    Status remove(const std::filesystem::path& file) override { return drop(file); }
    Status removeFolder(const std::filesystem::path& folder) override {
        if (const int node = find(folder); node >= 0 && !nodes_[static_cast<std::size_t>(node)].now.empty())
            return fail({"cannot remove the folder", folder.string(), "Directory not empty", ""});
        return drop(folder);
    }
    Status createFolder(const std::filesystem::path& folder) override {
        spend();
        int at = 0;
        for (const std::filesystem::path& part : folder.lexically_relative(root_)) {
            const auto known = nodes_[static_cast<std::size_t>(at)].now.find(part.string());
            if (known != nodes_[static_cast<std::size_t>(at)].now.end()) {
                at = known->second;
                continue;
            }
            nodes_.push_back({.folder = true});
            const int made = static_cast<int>(nodes_.size()) - 1;
            change(at, {.name = part.string(), .node = made});
            at = made;
        }
        return {};
    }
    Status syncFolder(const std::filesystem::path& folder) override {
        spend();
        if (const int node = find(folder); node >= 0) {
            Node& it = nodes_[static_cast<std::size_t>(node)];
            it.safe = it.now;
            it.changes.clear();
        }
        return {};
    }

    int spent() const { return spent_; }

    /// Lays what is left after the loss into a folder of the real disk.
    void settle(const std::filesystem::path& place, std::mt19937& luck) const { lay(0, place, luck); }

private:
    /// A name of a folder: it leads to `node`, and no longer does the name that it had before; without a node it is
    /// gone.
    struct Change {
        std::string name;
        int node = -1;
        std::string was = {};
    };
    struct Write {
        std::size_t at = 0;
        std::vector<std::byte> bytes;
    };
    struct Node {
        bool folder = false;
        std::map<std::string, int> now, safe;  ///< of a folder: names as programs see them, and as they were synced
        std::vector<Change> changes;           ///< since then
        std::vector<std::byte> content, kept;  ///< of a file: as programs see it, and as it was synced
        std::vector<Write> writes;             ///< since then
    };

    class FragileFile final : public File {
    public:
        FragileFile(FragileDisk& disk, int node) : disk_(disk), node_(static_cast<std::size_t>(node)) {}
        Result<std::size_t> write(std::span<const std::byte> bytes) override {
            Node& node = disk_.nodes_[node_];
            // The power may go in the middle of it.
            node.writes.push_back({node.content.size(), {bytes.begin(), bytes.end()}});
            node.content.insert(node.content.end(), bytes.begin(), bytes.end());
            disk_.spend();
            return bytes.size();
        }
        Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) override {
            const std::vector<std::byte>& content = disk_.nodes_[node_].content;
            if (offset >= content.size()) return 0;
            const std::size_t count = std::min<std::size_t>(bytes.size(), content.size() - offset);
            std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(offset), count, bytes.begin());
            return count;
        }
        Status truncate(std::uint64_t size) override {
            disk_.nodes_[node_].content.resize(size);
            return {};
        }
        Status sync() override {
            disk_.spend();
            Node& node = disk_.nodes_[node_];
            node.kept = node.content;
            node.writes.clear();
            return {};
        }

    private:
        FragileDisk& disk_;
        std::size_t node_;
    };

    void spend() {
        ++spent_;
        if (left_ > 0 && --left_ == 0) throw PowerLoss();
    }

    int find(const std::filesystem::path& path) const {
        int at = 0;
        const std::filesystem::path inside = path.lexically_relative(root_);
        if (inside == ".") return 0;
        for (const std::filesystem::path& part : inside) {
            const Node& node = nodes_[static_cast<std::size_t>(at)];
            const auto known = node.now.find(part.string());
            if (known == node.now.end()) return -1;
            at = known->second;
        }
        return at;
    }

    static void apply(std::map<std::string, int>& names, const Change& change) {
        if (!change.was.empty()) {
            const auto old = names.find(change.was);
            if (old == names.end() || old->second != change.node) return;  // what it would move is not there
            names.erase(old);
        }
        if (change.node < 0) names.erase(change.name);
        else names[change.name] = change.node;
    }

    void change(int folder, Change change) {
        Node& node = nodes_[static_cast<std::size_t>(folder)];
        apply(node.now, change);
        node.changes.push_back(std::move(change));
    }

    Status drop(const std::filesystem::path& path) {
        spend();
        if (find(path) < 0) return fail({"cannot remove the file", path.string(), "No such file or directory", ""});
        change(find(path.parent_path()), {.name = path.filename().string()});
        return {};
    }

    void lay(int which, const std::filesystem::path& place, std::mt19937& luck) const {
        const Node& node = nodes_[static_cast<std::size_t>(which)];
        const auto coin = [&] { return luck() % 2 == 0; };
        if (node.folder) {
            std::filesystem::create_directories(place);
            std::map<std::string, int> names = node.safe;
            const bool inOrder = coin();  // as a journal keeps them, up to some moment
            std::size_t kept = node.changes.empty() ? 0 : luck() % (node.changes.size() + 1);
            for (const Change& change : node.changes) {
                if (inOrder ? kept == 0 : coin()) {
                    if (inOrder) break;
                    continue;
                }
                if (inOrder) --kept;
                apply(names, change);
            }
            for (const auto& [name, child] : names) lay(child, place / name, luck);
            return;
        }
        std::vector<std::byte> content = node.kept;
        for (const Write& write : node.writes) {
            const std::uint32_t fate = luck() % 4;
            if (fate == 0) continue;
            const std::size_t count = fate == 1 ? luck() % (write.bytes.size() + 1) : write.bytes.size();
            content.resize(std::max(content.size(), write.at + count));
            if (fate != 2)
                std::copy_n(write.bytes.begin(), count, content.begin() + static_cast<std::ptrdiff_t>(write.at));
        }
        const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
        if (const Status written = replaceFile(place, text); !written) qFatal("%s", written.error().text().c_str());
    }

    std::filesystem::path root_;
    std::vector<Node> nodes_;
    int left_;
    int spent_ = 0;
};

}  // namespace

class PowerLossTest : public QObject {
    Q_OBJECT
private:
    /// The three checkpoints, until the power goes. Returns the serial of the last that was reported.
    static int writeAll(FragileDisk& disk, const std::filesystem::path& folder,
                        const std::vector<SampleCheckpoint>& states) {
        int reported = 0;
        try {
            for (std::size_t i = 0; i < states.size(); ++i) {
                const int serial = static_cast<int>(i) + 1;
                if (!states[i].write(disk, folder, serial, 10 * serial, 2)) return -1;
                reported = serial;
            }
        } catch (const PowerLoss&) {}
        return reported;
    }

private Q_SLOTS:
    void checkpointsAreWholeAndReportedOnesThere() {
        const quint32 seed = freshSeed();
        const std::vector<SampleCheckpoint> states{SampleCheckpoint(seed), SampleCheckpoint(seed + 1),
                                                   SampleCheckpoint(seed + 2)};
        // Names are of a folder that is not there: nothing of the real disk is touched.
        const std::filesystem::path root = "/shardlab-fragile-disk", folder = root / "run.checkpoints";
        FragileDisk all(root, 0);
        // The disk lists nothing, so tidying finds nothing to remove: that is the other test's.
        QCOMPARE(writeAll(all, folder, states), 3);
        std::mt19937 luck(seed);
        DiskFileSystem files;
        int found = 0;
        for (int at = 1; at <= all.spent(); ++at) {
            for (int attempt = 0; attempt < 3; ++attempt) {
                FragileDisk disk(root, at);
                const int reported = writeAll(disk, folder, states);
                QVERIFY(reported >= 0);
                const QTemporaryDir left;
                disk.settle(left.path().toStdString(), luck);
                const QByteArray when = QString("seed %1, call %2, attempt %3").arg(seed).arg(at).arg(attempt).toUtf8();
                std::set<int> serials;
                for (const CheckpointPlace& place :
                     listCheckpoints(std::filesystem::path(left.path().toStdString()) / "run.checkpoints")) {
                    const Status whole = verifyCheckpoint(files, place.path);
                    QVERIFY2(whole, whole ? "" : (when + ": " + whole.error().text().c_str()).constData());
                    QVERIFY2(states[static_cast<std::size_t>(place.serial - 1)].equals(place.path),
                             (when + ": a mixture").constData());
                    serials.insert(place.serial);
                    ++found;
                }
                for (int serial = 1; serial <= reported; ++serial)
                    QVERIFY2(serials.contains(serial), (when + ": a checkpoint is lost that was reported").constData());
            }
        }
        QVERIFY(found > 0);
        qInfo("seed %u: power lost at each of %d calls", seed, all.spent());
    }

    /// While an old one is removed it is either there, whole, or none.
    void aCheckpointIsRemovedOrThere() {
        const quint32 seed = freshSeed();
        const SampleCheckpoint state(seed);
        const std::filesystem::path root = "/shardlab-fragile-disk", folder = root / "run.checkpoints";
        std::mt19937 luck(seed);
        DiskFileSystem files;
        FragileDisk first(root, 0);
        QVERIFY(state.write(first, folder, 1, 10, 1));
        const int before = first.spent();
        // Files of the old checkpoint are removed one by one, as removeCheckpoint() does with what it lists.
        for (int at = before + 1; at <= before + 8; ++at) {
            for (int attempt = 0; attempt < 8; ++attempt) {
                FragileDisk disk(root, at);
                QVERIFY(state.write(disk, folder, 1, 10, 1));
                try {
                    static_cast<void>(removeCheckpoint(disk, folder / "000001-step-10"));
                    for (const char* name :
                         {"manifest.json", "rank-0.safetensors", "rank-1.safetensors", "rank-2.safetensors"})
                        static_cast<void>(disk.remove(folder / "000001-step-10.removed" / name));
                } catch (const PowerLoss&) {}
                const QTemporaryDir left;
                disk.settle(left.path().toStdString(), luck);
                for (const CheckpointPlace& place :
                     listCheckpoints(std::filesystem::path(left.path().toStdString()) / "run.checkpoints")) {
                    const Status whole = verifyCheckpoint(files, place.path);
                    QVERIFY2(
                        whole,
                        whole
                            ? ""
                            : qPrintable(
                                  QString("seed %1, call %2: %3").arg(seed).arg(at).arg(whole.error().text().c_str())));
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(PowerLossTest)
#include "power_loss_test.moc"
