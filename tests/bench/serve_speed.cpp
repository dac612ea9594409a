// SPDX-License-Identifier: Apache-2.0
// How fast a viewer copies a run that is served, without TLS and with it: serve_speed [events in millions] [repeats].
// Both in turn, on this machine; prints, asserts nothing.
#include "engine/launch/serve/run_copy.h"
#include "engine/launch/serve/run_server.h"
#include "engine/launch/serve/run_watch.h"
#include "engine/launch/tls/tls_pass.h"
#include "tests/launch/served_run.h"

#include <QTemporaryDir>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

using namespace shardlab::test;

namespace {

/// Hears that the watch is over and counts; writes nothing, so that the link is what is measured.
class Counting final : public WatchObserver {
public:
    void eventsArrived(std::span<const Event> events) override { count_ += events.size(); }
    void statusChanged(const WatchStatus& status) override { over_ = status.over(); }
    bool over() const { return over_; }
    std::size_t count() const { return count_; }

private:
    std::atomic<std::size_t> count_{0};
    std::atomic<bool> over_{false};
};

/// Seconds until a viewer has all of `file`, and how many events that are.
std::pair<double, std::size_t> copied(const std::filesystem::path& file, Protection protection) {
    const auto pass = makePass(protection);
    if (!pass) throw std::runtime_error(pass.error().text());
    ServeOptions options;
    options.pass = *pass;
    const auto server = RunServer::listen(options);
    if (!server) throw std::runtime_error(server.error().text());
    (*server)->serve(file);
    const auto callers = readPass(pass->token);
    if (!callers) throw std::runtime_error(callers.error().text());
    Counting counting;
    const auto begin = std::chrono::steady_clock::now();
    const RunWatch watch(WatchOptions{(*server)->address(), *callers}, counting);
    while ((*server)->counts().welcomed == 0 && !counting.over())
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    (*server)->conclude({"finished", ""}, std::atomic<bool>(false));
    while (!counting.over()) std::this_thread::sleep_for(std::chrono::microseconds(200));
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), counting.count()};
}

}  // namespace

int main(int argc, char** argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 5;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const QTemporaryDir folder;
    ServedRun run(folder.filePath("run.shardlab").toStdString(), 1, 4);
    for (double rest = millions * 1e6; rest > 0; rest -= 4 * 0.5 * 2.0 / 3 * 20'000) run.grow(20'000);
    run.finish({"finished", ""});
    const double megabytes = static_cast<double>(std::filesystem::file_size(run.file)) / 1e6;
    for (int i = 0; i < repeats; ++i)
        for (const Protection protection : {Protection::Plain, Protection::Tls}) {
            const auto [seconds, events] = copied(run.file, protection);
            std::printf("  %-12s %8.0f MB/s of the file's %.0f MB %8.2f million events/s\n",
                        protection == Protection::Tls ? "TLS" : "without TLS", megabytes / seconds, megabytes,
                        static_cast<double>(events) / seconds / 1e6);
        }
    return 0;
}
