// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/launch/doctor.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

int doctor(bool json) {
    const std::vector<MachineFinding> findings = examineMachine();
    const bool works = std::none_of(findings.begin(), findings.end(),
                                    [](const MachineFinding& finding) { return finding.state == FindingState::Bad; });
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const MachineFinding& finding : findings)
            list.push_back({{"subject", finding.subject},
                            {"state", name(finding.state)},
                            {"detail", finding.detail},
                            {"advice", finding.advice}});
        print(nlohmann::ordered_json{{"works", works}, {"findings", std::move(list)}}.dump(2) + "\n");
    } else {
        Table table({"", "state", "detail"});
        for (const MachineFinding& finding : findings)
            table.add({finding.subject, std::string(name(finding.state)),
                       finding.detail + (finding.advice.empty() ? "" : " → " + finding.advice)});
        print(table.text());
    }
    return works ? success : failure;
}

}  // namespace

void addDoctor(CLI::App& program, Action& chosen) {
    CLI::App* verb = program.add_subcommand("doctor", "Tell what this machine can do, and what to install for the rest");
    const auto json = std::make_shared<bool>(false);
    verb->add_flag("--json", *json, "Answer with one JSON object");
    verb->callback([&chosen, json] { chosen = [json] { return doctor(*json); }; });
}

}  // namespace shardlab::cli
