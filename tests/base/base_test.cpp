// SPDX-License-Identifier: Apache-2.0
#include "engine/base/device_time.h"
#include "engine/base/file.h"
#include "engine/base/own_file.h"
#include "engine/base/parse_text.h"
#include "engine/base/random.h"
#include "engine/base/resources.h"
#include "engine/base/scratch_folder.h"
#include "engine/base/token.h"
#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/base/visible_text.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace shardlab::test;

class BaseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void timesOfDevicesAndOfTheClockTheyAreShownOn() {
        const DeviceTime slowed(10.8);
        QCOMPARE(slowed.seconds(60.0), 60.0 / 10.8);
        QCOMPARE(slowed.onClock(slowed.seconds(60.0)), 60.0);
        QCOMPARE(slowed.nanoseconds(108), std::int64_t{10});
        QCOMPARE(slowed.nanosecondsOnClock(-10), std::int64_t{-108});
        QCOMPARE(slowed.nanosecondsOnClock(std::numeric_limits<std::int64_t>::max() / 2),
                 std::numeric_limits<std::int64_t>::max());
        QCOMPARE(slowed.text(60.0 / 10.8).english(), std::string("slowed 10.8 × to watch: a step lasts 1 min 0 s"));
        QCOMPARE(DeviceTime(0.25).text(4).english(), std::string("sped up 4 × to watch: a step lasts 1.00 s"));
        // Nothing is paced, and what a damaged file may say.
        constexpr std::int64_t odd = (std::int64_t{1} << 62) + 1;  // no double holds it
        for (const double none : {1.0, 0.0, -2.0, std::nan(""), HUGE_VAL}) {
            const DeviceTime plain(none);
            QVERIFY(plain.isClock() && plain.text().empty() && plain.text(1).empty());
            QCOMPARE(plain.nanoseconds(odd), odd);
            QCOMPARE(plain.nanosecondsOnClock(odd), odd);
            QCOMPARE(plain.seconds(3), 3.0);
        }
    }

    void bytes() {
        QCOMPARE(formatBytes(0), std::string("0 B"));
        QCOMPARE(formatBytes(512), std::string("512 B"));
        QCOMPARE(formatBytes(1310720), std::string("1.25 MiB"));
        QCOMPARE(formatBytes(65713209344), std::string("61.2 GiB"));
        QCOMPARE(formatBytes(1023), std::string("1.00 KiB"));
        QCOMPARE(formatBytes(-2048), std::string("−2.00 KiB"));
        QCOMPARE(formatBytes(std::numeric_limits<std::int64_t>::max()), std::string("8.00 EiB"));
    }

    void bytesAreReadAsTheyAreWritten() {
        QCOMPARE(exactBytes(0), std::string("0 B"));
        QCOMPARE(exactBytes(500'000'000), std::string("500 MB"));
        QCOMPARE(exactBytes(std::int64_t{3} << 30), std::string("3 GiB"));
        QCOMPARE(exactBytes(1048577), std::string("1048577 B"));
        QCOMPARE(readBytes(" 500mb "), std::optional<std::int64_t>(500'000'000));
        QCOMPARE(readBytes("1.5 GiB"), std::optional<std::int64_t>(std::int64_t{3} << 29));
        QCOMPARE(readBytes("1048576"), std::optional<std::int64_t>(1048576));
        for (const char* none :
             {"", "MB", "ten", "1 XB", "0.5", "1e3", "9223372036854775808", "9000000 TiB", "1 MB 2", "nan", "inf"})
            QVERIFY2(!readBytes(none), none);
        std::mt19937_64 random(freshSeed());
        for (int i = 0; i < 10000; ++i) {
            const auto bytes = static_cast<std::int64_t>(random() >> (1 + random() % 62));
            QCOMPARE(readBytes(exactBytes(bytes)), std::optional(bytes));
        }
    }

    void numbersAndWordsOfATextAreRead() {
        QCOMPARE(parseNumber<int>("-12"), std::optional(-12));
        QCOMPARE(parseNumber<double>("2.5"), std::optional(2.5));
        for (const char* none : {"", " 12", "12 ", "+12", "12x", "1.5", "2147483648"})
            QVERIFY2(!parseNumber<int>(none), none);
        QVERIFY(!parseNumber<std::uint16_t>("-1") && !parseNumber<std::uint16_t>("65536"));
        QCOMPARE(trimmed(" \t a b\r"), std::string_view("a b"));
        QCOMPARE(trimmed(" \t\r"), std::string_view());
        QCOMPARE(trimmed("\"a\" ", "\" "), std::string_view("a"));
        QCOMPARE(wordsIn(" one\t two\r"), (std::vector<std::string_view>{"one", "two"}));
        QCOMPARE(wordsIn("one\ttwo three", " "), (std::vector<std::string_view>{"one\ttwo", "three"}));
        QVERIFY(wordsIn(" ").empty());
    }

    void seconds() {
        QCOMPARE(formatSeconds(0.612), std::string("612 ms"));
        QCOMPARE(formatSeconds(1.25), std::string("1.25 s"));
        QCOMPARE(formatSeconds(14.2e-6), std::string("14.2 µs"));
        QCOMPARE(formatSeconds(820e-9), std::string("820 ns"));
        QCOMPARE(formatSeconds(192), std::string("3 min 12 s"));
        QCOMPARE(formatSeconds(7500), std::string("2 h 5 min"));
        QCOMPARE(formatSeconds(59.99), std::string("1 min 0 s"));
        QCOMPARE(formatSeconds(0.9999), std::string("1.00 s"));
        QCOMPARE(formatSeconds(std::nan("")), std::string("– s"));
    }

    void others() {
        QCOMPARE(formatParameters(70.55e9), std::string("70.5 B"));
        QCOMPARE(formatParameters(124e6), std::string("124 M"));
        QCOMPARE(formatParameters(1.04e12), std::string("1.04 T"));
        QCOMPARE(formatParameters(96), std::string("96"));
        QCOMPARE(formatCount(428000), std::string("428 k"));
        QCOMPARE(formatCount(1.21e6), std::string("1.21 M"));
        QCOMPARE(formatCount(37.5), std::string("37.5"));
        QCOMPARE(formatCount(12), std::string("12"));
        QCOMPARE(formatPercent(0.0909), std::string("9.1 %"));
        QCOMPARE(formatBandwidth(450e9), std::string("450 GB/s"));
    }

    void bytesThatAreNoTextAreNotQuoted() {
        QCOMPARE(quoted("naïve 東京"), std::string("\"naïve 東京\""));
        QCOMPARE(quoted("東京東京", 7), std::string("\"東京 …\""));
        QCOMPARE(quoted("\x7f"
                        "ELF\x02"),
                 std::string("5 bytes that are no text"));
        QCOMPARE(quoted("ab\xff"), std::string("3 bytes that are no text"));
        QCOMPARE(quoted(""), std::string("\"\""));
    }

    void whatATerminalWouldObeyIsVisible() {
        QCOMPARE(visible("plain – naïve 東京 🙂 ½"), std::string("plain – naïve 東京 🙂 ½"));
        QCOMPARE(visible("a\tb\nc"), std::string("a\tb\nc"));
        QCOMPARE(visible("a\tb\nc", Lines::Visible), std::string("a\\u0009b\\u000ac"));
        // What a file is called begins no line of its own.
        const Error error{say("cannot open the file"), "a\nshardlab: saved", say("it is\na folder"), ""};
        QCOMPARE(error.text(), std::string("cannot open the file (a\\u000ashardlab: saved): it is\na folder"));
        QCOMPARE(visible("\x1b[2J\r\x07\x7f"), std::string("\\u001b[2J\\u000d\\u0007\\u007f"));
        QCOMPARE(visible(std::string_view("\0", 1)), std::string("\\u0000"));
        QCOMPARE(visible("\xc2\x9b"
                         "2J"),
                 std::string("\\u009b2J"));  // C1: as good as ESC [
        QCOMPARE(visible("\xe2\x80\xae"
                         "x\xe2\x81\xa6"),
                 std::string("\\u202ex\\u2066"));  // right to left
        QCOMPARE(visible("\x9b"
                         "2J \xff \xc3"),
                 std::string("\\x9b2J \\xff \\xc3"));
        QCOMPARE(visible("\xc0\x9b \xed\xa0\x80 \xf4\x90\x80\x80"),
                 std::string("\\xc0\\x9b \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"));
    }

    // The values are part of what "the same seed" means: they must never change.
    void randomIsFixed() {
        RandomStream stream(1, "h.0.mlp.c_fc.weight");
        QCOMPARE(stream.bitsAt(0), std::uint64_t{17627776272253307814ull});
        QCOMPARE(stream.uniformAt(5), 0.77142161599710402);
        QCOMPARE(stream.normalAt(0), 0.13185140084157315);
        QCOMPARE(stream.normalAt(12345), -1.4948243728325674);
        QCOMPARE(stream.bits(), stream.bitsAt(0));
        QCOMPARE(stream.normal(), stream.normalAt(1));
    }

    void randomIsNormal() {
        const RandomStream stream(7, "moments");
        const int n = 400000;
        double sum[5] = {};
        double neighbour = 0, last = 0;
        int beyondTwo = 0;
        for (int i = 0; i < n; ++i) {
            const double x = stream.normalAt(static_cast<std::uint64_t>(i));
            double power = 1;
            for (double& s : sum) {
                s += power;
                power *= x;
            }
            neighbour += x * last;
            last = x;
            beyondTwo += std::abs(x) > 2;
        }
        const double four = 4 / std::sqrt(n);  // four standard errors
        QVERIFY(std::abs(sum[1] / n) < four);
        QVERIFY(std::abs(sum[2] / n - 1) < four * std::sqrt(2.0));
        QVERIFY(std::abs(sum[3] / n) < four * std::sqrt(15.0));
        QVERIFY(std::abs(sum[4] / n - 3) < four * std::sqrt(96.0));
        QVERIFY(std::abs(neighbour / n) < four);
        QVERIFY(std::abs(double(beyondTwo) / n - 0.0455003) < four * 0.21);
    }

    void streamsAreIndependent() {
        const RandomStream a(1, "a"), b(1, "b"), c(2, "a");
        const int n = 100000;
        double ab = 0, ac = 0;
        for (int i = 0; i < n; ++i) {
            const auto at = static_cast<std::uint64_t>(i);
            ab += (a.uniformAt(at) - 0.5) * (b.uniformAt(at) - 0.5);
            ac += (a.uniformAt(at) - 0.5) * (c.uniformAt(at) - 0.5);
        }
        QVERIFY(std::abs(12 * ab / n) < 4 / std::sqrt(n));
        QVERIFY(std::abs(12 * ac / n) < 4 / std::sqrt(n));
        RandomStream d(3, "below");
        std::vector<int> count(7);
        for (int i = 0; i < 70000; ++i) ++count.at(d.below(7));
        for (int each : count) QVERIFY2(std::abs(each - 10000) < 400, qPrintable(QString::number(each)));
    }

    void filesAreReplacedWhole() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("a.json").toStdString();
        QVERIFY(replaceFile(file, "first"));
        QVERIFY(replaceFile(file, std::string(200000, 'x')));
        QCOMPARE(readFile(file)->size(), std::size_t{200000});
        QVERIFY(!readFile(file, 1000));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
        const auto missing = readFile(folder.filePath("none").toStdString());
        QVERIFY(!missing);
        QVERIFY(missing.error().text().find("none") != std::string::npos);
        QVERIFY(!readFile(folder.path().toStdString()));
        QVERIFY(!replaceFile(folder.filePath("no/folder.json").toStdString(), "x"));
        QVERIFY(!replaceFile("/dev/null", "x"));  // would put a file in the place of the device
    }

    /// What a layout names may be a pipe that nobody ever opens; the shell's <(…) is one that somebody writes into.
    void aPipeWithoutAWriterIsNotWaitedFor() {
        const QTemporaryDir folder;
        const std::filesystem::path pipe = folder.filePath("pipe").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const auto nobody = readFile(pipe);
        QVERIFY(!nobody && nobody.error().text().find("nobody writes") != std::string::npos);
        const std::string content(300'000, 'x');
        for (const int late : {0, 300}) {
            std::thread writer([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(late));
                std::ofstream out(pipe);
                for (std::size_t at = 0; at < content.size(); at += 1000) out << content.substr(at, 1000);
            });
            const auto read = readFile(pipe);
            writer.join();
            QVERIFY(read && *read == content);
        }
    }

    /// In a folder that others may write to they could put a link where a file is written that is then renamed.
    void noLinkIsFollowedWhereAFileIsMade() {
        const QTemporaryDir folder;
        const auto path = [&](const std::string& name) {
            return std::filesystem::path(folder.filePath(QString::fromStdString(name)).toStdString());
        };
        const auto planted = [&](const std::string& name) {
            std::filesystem::create_symlink(path("precious"), path(name));
        };
        const auto whole = [&] {
            return *readFile(path("precious")) == "thesis" &&
                   (std::filesystem::status(path("precious")).permissions() & std::filesystem::perms::mask) ==
                       std::filesystem::perms::owner_read;
        };
        QVERIFY(replaceFile(path("precious"), "thesis"));
        std::filesystem::permissions(path("precious"), std::filesystem::perms::owner_read);

        planted("a.json.new" + std::to_string(::getpid()));
        QVERIFY(replaceFile(path("a.json"), "layout"));
        QVERIFY(whole() && *readFile(path("a.json")) == "layout");
        const auto one = nameBeside(path("a.json")), other = nameBeside(path("a.json"));
        QVERIFY(one && other && *one != *other && one->parent_path() == path("a.json").parent_path());

        // Files that are written under their own name, as the parts of a checkpoint are.
        planted("rank-00000.safetensors");
        DiskFileSystem files;
        const auto part = files.open(path("rank-00000.safetensors"), OpenMode::Create);
        QVERIFY(part && (*part)->write(std::as_bytes(std::span("weights", 7))));
        QVERIFY(whole() && *readFile(path("rank-00000.safetensors")) == "weights");

        planted("agents");
        QVERIFY(replaceOwnFile(path("agents"), "ssh"));
        QVERIFY(whole() && *readFile(path("agents")) == "ssh");
        QCOMPARE(int(std::filesystem::status(path("agents")).permissions()), 0600);
    }

    void aFileToObeyIsItsUsersOwn() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("request").toStdString(),
                                    other = folder.filePath("other").toStdString();
        const auto why = [&] {
            const auto read = readOwnFile(file, 8);
            return read ? std::string("taken") : read.error().why.english();
        };
        QVERIFY(readOwnFile(file, 8) && !*readOwnFile(file, 8));
        QVERIFY(replaceOwnFile(file, "12345678"));
        QCOMPARE(**readOwnFile(file, 8), std::string("12345678"));
        QVERIFY(replaceOwnFile(file, "123456789"));
        QCOMPARE(why(), std::string("it has more than 8 bytes"));
        QVERIFY(replaceOwnFile(file, "kill 1"));
        std::filesystem::create_hard_link(file, other);
        QCOMPARE(why(), std::string("it has a second name"));
        std::filesystem::remove(file);
        std::filesystem::create_symlink(other, file);
        QCOMPARE(why(), std::string("it is a symbolic link"));
        std::filesystem::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        QCOMPARE(why(), std::string("it is no regular file"));
        std::filesystem::remove(file);
        if (::geteuid() != 0) QSKIP("only root can give a file away");
        QVERIFY(replaceOwnFile(file, "kill 1"));
        QCOMPARE(::chown(file.c_str(), 12345, 12345), 0);
        QCOMPARE(why(), std::string("it belongs to another user, of number 12345"));
    }

    /// An empty TMPDIR is none, and a relative one is told to others as a whole path.
    void temporaryFilesGoWhereTheyBelong() {
        const QByteArray before = qgetenv("TMPDIR");
        const auto restore = qScopeGuard([&] { before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before); });
        QTemporaryDir folder;
        const auto made = [] {
            const auto scratch = ScratchFolder::make("test");
            return scratch && std::filesystem::is_directory(scratch->path()) ? scratch->path().parent_path().string()
                                                                             : std::string("none");
        };
        qunsetenv("TMPDIR");
        QCOMPARE(made(), std::string("/tmp"));
        qputenv("TMPDIR", "");
        QCOMPARE(made(), std::string("/tmp"));
        qputenv("TMPDIR", folder.path().toLocal8Bit());
        QCOMPARE(made(), folder.path().toStdString());
        const ScratchFile file = scratchFile();
        QVERIFY(file && std::fputs("kept", file.get()) >= 0 && std::fseek(file.get(), 1, SEEK_SET) == 0);
        char read[4] = "";
        QCOMPARE(std::fread(read, 1, 3, file.get()), std::size_t{3});
        QCOMPARE(QByteArray(read), QByteArray("ept"));
        QVERIFY2(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), "it has no name");
        const std::filesystem::path current = std::filesystem::current_path();
        const auto back = qScopeGuard([&] { std::filesystem::current_path(current); });
        std::filesystem::current_path(folder.path().toStdString());
        qputenv("TMPDIR", ".");
        QVERIFY(temporaryFilesFolder().is_absolute());
        QVERIFY(made() != "none");
        qputenv("TMPDIR", folder.filePath("missing").toLocal8Bit());
        QCOMPARE(made(), std::string("none"));
        QVERIFY2(scratchFile() != nullptr, "there is always /tmp for a file that nobody sees");
    }

    void resourcesAreThere() { QVERIFY(std::filesystem::is_directory(resourcesFolder())); }
};

QTEST_GUILESS_MAIN(BaseTest)
#include "base_test.moc"
