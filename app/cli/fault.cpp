// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ask_run.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/layout/mesh/mesh.h"

#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {

namespace {

struct FaultOptions {
    std::string run;
    std::string kind;
    int rank = 0;
};

const std::string noFault = "no fault can be brought about";

int injectFault(const FaultOptions& options) {
    const auto layout = layoutOfGoingRun(options.run, noFault);
    if (!layout) return failWith(layout.error());
    if (const int ranks = rankCount(*layout); options.rank < 0 || options.rank >= ranks)
        return failWith({noFault, fmt::format("rank {}", options.rank), fmt::format("the run has {} ranks", ranks),
                         fmt::format("0 to {}", ranks - 1)});
    const FaultRequest request{options.kind == "hang" ? InjectedFaultKind::Hang : InjectedFaultKind::Kill,
                               options.rank};
    if (const Status asked = askRun(options.run, request, noFault); !asked) return failWith(asked.error());
    print(fmt::format("asked for: {}\n", toText(RunRequest(request))));
    return success;
}

}  // namespace

void addFault(CommandLine& line) {
    Verb verb(line, "fault",
              "Kill a rank of a run that goes on, or let it stand still, to see what the run makes of it");
    const auto options = std::make_shared<FaultOptions>();
    verb.option("run", options->run, "Run file that it is recorded into").typeName("RUN").required();
    verb.option("kind", options->kind, "kill: the process dies; hang: it is stopped, and stays so")
        .required()
        .oneOf({"kill", "hang"});
    verb.option("rank", options->rank, "The rank that it befalls, as the run numbers ranks")
        .typeName("RANK")
        .required();
    verb.footer("The fault happens at once, in the middle of whatever the rank does. The layout's /run/faults brings "
                "faults about at a step.");
    verb.runs([options] { return injectFault(*options); });
}

}  // namespace shardlab::cli
