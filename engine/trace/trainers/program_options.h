// SPDX-License-Identifier: Apache-2.0
// The long options on the command lines of a shell script, each with its values, and which of them were understood.
#pragma once

#include "engine/base/sentence.h"
#include "engine/base/wings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// Names are written with dashes: "nproc-per-node" is --nproc_per_node too. Of an option that stands twice the last
/// counts. What is asked for counts as understood, where its value could be read.
class ProgramOptions {
public:
    explicit ProgramOptions(std::string_view script);

    bool has(const std::string& name) const { return options_.contains(name); }
    bool flag(const std::string& name);
    std::vector<std::string> all(const std::string& name);
    std::optional<std::string> text(const std::string& name);
    std::optional<int> integer(const std::string& name);
    std::optional<std::int64_t> whole(const std::string& name);
    std::optional<double> number(const std::string& name);
    /// The option counts as understood: it changes nothing that a layout says.
    void pass(const std::string& name);
    /// False, and no change, where the option is absent or its value is no such number.
    bool read(const std::string& name, int& value);
    bool read(const std::string& name, double& value);

    /// "--log-params-norm is left out", a sentence for each option that was not understood.
    std::vector<Sentence> leftOver() const;

private:
    struct Given {
        std::vector<std::string> values;
        bool understood = false;
    };
    Given* find(const std::string& name);

    std::map<std::string, Given> options_;
};

}  // namespace shardlab::trace
