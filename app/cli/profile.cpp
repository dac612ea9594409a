// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/follow_job.h"
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/launch/job/profiling.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/predict/plan/profile_store.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace shardlab::cli {

namespace {

struct ProfileOptions {
    LayoutArgument layout;
    std::string out;
    bool json = false;
};

std::string linkText(const LinkProfile& link) {
    if (link.bandwidth <= 0) return "not measured: there is one rank";
    return fmt::format("{} and {}", formatSeconds(link.seconds), formatBandwidth(link.bandwidth));
}

std::string kernelsText(const KernelAccount& account) {
    Table table(
        {"kernel, one step of a rank", "calls", "time", "of the step", "products", "memory", "least", "time ÷ least"});
    const auto share = [&](double seconds) {
        return formatPercent(account.seconds > 0 ? seconds / account.seconds : 0);
    };
    for (const KernelProfile& kernel : account.kernels) {
        const double least = leastSeconds(kernel, account);
        table.add({kernel.name, fmt::format("{:.0f}", kernel.calls), formatSeconds(kernel.seconds),
                   share(kernel.seconds), kernel.flops > 0 ? formatCount(flopsPerSecond(kernel)) + "FLOP/s" : "",
                   formatBandwidth(bytesPerSecond(kernel)), formatSeconds(least),
                   least > 0 ? fmt::format("{:.2f}", kernel.seconds / least) : ""});
    }
    const double between = betweenKernels(account);
    table.add({"between kernels", "", formatSeconds(between), share(between), "", "", "", ""});
    return table.text() +
           fmt::format(
               "\nThe step's computing takes {}; {} of it is what products at {}FLOP/s and memory at {} allow at "
               "least\n(operands in caches are quicker).\n",
               formatSeconds(account.seconds), formatPercent(explainedShare(account)), formatCount(account.peakFlops),
               formatBandwidth(account.memoryBandwidth));
}

std::string profileText(const Profile& profile, const std::filesystem::path& file) {
    std::string text = fmt::format("{}\n\n", profile.layout.name);
    const auto line = [&](std::string_view label, const std::string& value) {
        text += fmt::format("{:<16}{}\n", label, value);
    };
    line("Machine", fmt::format("{}, {} cores; {} ranks of {} threads", profile.machine.processor,
                                profile.machine.cores, rankCount(profile.layout), profile.threads));
    line("Messages", linkText(profile.send));
    line("All-reduce", linkText(profile.allReduce));
    line("Each action", formatSeconds(profile.actionSeconds) + " besides its work");
    line("Step", fmt::format("{} measured, {} predicted: {} off", formatSeconds(profile.stepSeconds),
                             formatSeconds(profile.predictedStepSeconds), formatPercent(profile.error())));
    if (const Spread* widest = widestSpread(profile))
        line("Noise",
             fmt::format("{}: repeated measurements of {} differ by {:.0f} %, others by less; above {:.0f} % is "
                         "noisy",
                         noisy(profile) ? "noisy" : "quiet", widest->what, 100 * widest->share, 100 * noisySpread));
    line("Written to", file.string());
    Table table(
        {"one microbatch", "blocks", "forward", "backward", "input", "weight", "update", "activations", "weights"});
    const auto add = [&](const PartProfile& part, int blocks) {
        table.add({part.name, blocks > 0 ? std::to_string(blocks) : "", formatSeconds(part.forward),
                   formatSeconds(part.backward), formatSeconds(part.inputGrad), formatSeconds(part.weightGrad),
                   formatSeconds(part.optimizer), formatBytes(part.activationBytes), formatBytes(part.weightBytes)});
    };
    add(profile.embedding, 0);
    for (const BlockProfile& block : profile.blocks)
        for (const PartProfile& part : block.parts) add(part, block.layers);
    add(profile.output, 0);
    return text + "\n" + table.text() + "\n" + kernelsText(profile.kernels);
}

Result<Profile> measureOnce(const Layout& layout, const JobSignals& signals) {
    RunProgress progress(isatty(STDERR_FILENO) == 1);
    const auto profiling = Profiling::start(layout, progress);
    if (!profiling) return fail(profiling.error());
    follow((*profiling)->job(), signals, progress);
    return (*profiling)->result();
}

int profile(const ProfileOptions& options) {
    const auto whole = loadLegal(options.layout);
    if (!whole) return whole.error();
    // Measuring takes minutes: that its result cannot be written is said before.
    if (!options.out.empty())
        if (const Status place = canSaveProfile(options.out); !place) return failWith(place.error());
    const JobSignals signals;
    const Layout layout = profiledLayout(*whole);
    const auto measured = quietestProfile([&] { return measureOnce(layout, signals); }, printNote);
    if (!measured) return failWith(measured.error());
    const std::filesystem::path file =
        options.out.empty() ? profileFile(*measured) : std::filesystem::path(options.out);
    if (const Status saved = saveProfile(*measured, file); !saved) return failWith(saved.error());
    print(options.json ? writeProfile(*measured) : profileText(*measured, file));
    return success;
}

}  // namespace

void addProfile(CommandLine& line) {
    Verb verb(
        line, "profile",
        "Measure on this machine what a layout's layers, kernels and links take; predictions use it from then on");
    const auto options = std::make_shared<ProfileOptions>();
    options->layout.addTo(verb);
    verb.option("--out", options->out, "Profile file; by default where plan, search and run find it").typeName("FILE");
    verb.flag("--json", options->json, "Print the profile as it is stored");
    verb.footer(
        "A paced layout is measured at full speed. The profile serves every layout of the same model, microbatch\n"
        "and threads a rank, whatever its degrees, layers and schedule. Where repeated\n"
        "measurements of the same thing differ too much, it measures again, up to three times in all, keeps the\n"
        "quietest, and says where that is noisy still.");
    verb.runs([options] { return profile(*options); });
}

}  // namespace shardlab::cli
