// SPDX-License-Identifier: Apache-2.0
// How a verb says what it takes. CLI11 reads the command line behind this header, and verb.cpp alone compiles it: it
// takes longer than all verbs together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shardlab::cli {

/// What a parsed command line asks for; returns the exit status.
using Action = std::function<int()>;

/// An option, a flag or an argument of a verb.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option& typeName(const std::string& name);  ///< what --help shows in place of a value
    Option& required(bool really = true);
    Option& needs(const Option& other);
    Option& excludes(const Option& other);
    Option& oneOf(const std::vector<std::string>& values);
    Option& nonNegative();
    Option& positive();
    Option& between(int least, int most);
    /// The value is a number of bytes, at most `most`, and may be written 500MB or 2GiB.
    Option& bytes(std::optional<std::uint64_t> most = {});
    Option& showDefault();    ///< --help shows the present value
    Option& oneValueEach();   ///< each value repeats the option
    Option& optionalValue();  ///< without a value it means the empty text

private:
    CLI::Option* option_;
};

/// An option, flag or argument in words, as manual pages and completions have it.
struct OptionText {
    std::vector<std::string> names;  ///< "-h", "--help"; of an argument: its name alone, without dashes
    std::string value;               ///< what stands for the value: "FILE"; empty: it takes none
    std::string help;
    bool argument = false;  ///< stands by its place and not by a name
};
struct VerbText {
    std::string name;
    std::string help;
    std::vector<OptionText> options;  ///< arguments first
    std::string footer;
};

/// The program's command line; its verbs are added before it is read.
class CommandLine {
public:
    CommandLine(const std::string& description, const std::string& name);
    ~CommandLine();

    std::vector<std::string> verbs() const;
    /// What --help prints of a verb, whose name may be an alias; none: there is no such verb.
    std::optional<std::string> help(const std::string& verb) const;
    /// The program itself, with the options that stand before a verb; then every verb, in the order of --help.
    VerbText describe() const;
    std::vector<VerbText> describeVerbs() const;
    /// Reads the arguments. None: they were answered (--help) or are wrong, which has been said; `status` is then the
    /// exit status.
    std::optional<Action> read(int argc, char** argv, int& status);

private:
    friend class Verb;
    std::unique_ptr<CLI::App> app_;
    Action chosen_;
};

class Verb {
public:
    Verb(CommandLine& line, const std::string& name, const std::string& description);

    /// A name with dashes makes an option, one without an argument. `target` outlives the command line. T: a text, a
    /// number, an optional one, or a list of texts (verb.cpp lists them).
    template <class T>
    Option option(const std::string& name, T& target, const std::string& help);
    Option flag(const std::string& name, bool& target, const std::string& help);
    Option flag(const std::string& name, std::function<void()> act, const std::string& help);
    void footer(const std::string& text);
    /// What the verb does; `missing` names what the command line lacks, and is empty where it lacks nothing.
    void runs(Action action, std::function<std::string()> missing = {});

private:
    CLI::App* app_;
    Action* chosen_;
};

}  // namespace shardlab::cli
