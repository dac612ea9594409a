// SPDX-License-Identifier: Apache-2.0
// A fuzz target in the ordinary suite: every input that was kept, and fresh changes of them. Linked with one target.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace shardlab;
using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr int mostChanges = 5000;
constexpr int mostMilliseconds = 3000;  ///< targets that write files get through fewer

const QString corpus = QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/fuzz/corpus/" SHARDLAB_FUZZ_TARGET);
const QString crashers = QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/fuzz/crashers/" SHARDLAB_FUZZ_TARGET);

QFileInfoList keptFiles() {
    QFileInfoList files;
    for (const QString& folder : {corpus, crashers}) files += QDir(folder).entryInfoList(QDir::Files, QDir::Name);
    return files;
}

InputBytes bytesOf(const QFileInfo& info) {
    QFile file(info.filePath());
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray content = file.readAll();
    return {content.begin(), content.end()};
}

const InputBytes* running = nullptr;  ///< for the handler below

/// Keeps the input that ended the program, so that it can become a crasher.
void keepInput(int signal) {
    const char* name = SHARDLAB_FUZZ_TARGET ".crash";
    const int file = ::open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (running != nullptr && file >= 0 && ::write(file, running->data(), running->size()) >= 0) {
        constexpr std::string_view said = "the input is kept in the current folder as " SHARDLAB_FUZZ_TARGET ".crash\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, said.data(), said.size());
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(const InputBytes& input) {
    running = &input;
    LLVMFuzzerTestOneInput(input.data(), input.size());
    running = nullptr;
}

}  // namespace

class ReplayTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, keepInput);
    }

    void keptInputsAreTaken_data() {
        QTest::addColumn<QFileInfo>("file");
        for (const QFileInfo& file : keptFiles())
            QTest::newRow(qPrintable(file.dir().dirName() + "/" + file.fileName())) << file;
    }
    void keptInputsAreTaken() {
        QFETCH(const QFileInfo, file);
        run(bytesOf(file));
    }

    void changedInputsAreTaken() {
        std::vector<InputBytes> known{{}};
        for (const QFileInfo& file : keptFiles()) known.push_back(bytesOf(file));
        QVERIFY2(known.size() > 1, "no inputs are kept: the test looks at the wrong place");
        const char* given = std::getenv("SHARDLAB_FUZZ_SEED");
        const std::int64_t seed = given != nullptr ? std::strtoll(given, nullptr, 10) : shardlab::test::freshSeed();
        RandomStream random(seed, SHARDLAB_FUZZ_TARGET);
        const auto any = [&]() -> const InputBytes& {
            return known[random.below(static_cast<std::uint32_t>(known.size()))];
        };
        QElapsedTimer clock;
        clock.start();
        int changes = 0;
        for (; changes < mostChanges && clock.elapsed() < mostMilliseconds; ++changes) {
            InputBytes input = any();
            for (std::uint32_t i = 1 + random.below(4); i > 0; --i) mutate(input, any(), random);
            run(input);
        }
        qInfo("%d changed inputs", changes);
    }
};

QTEST_GUILESS_MAIN(ReplayTest)
#include "replay.moc"
