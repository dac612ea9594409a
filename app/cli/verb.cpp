// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"

#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/parse_text.h"
#include "engine/layout/suggest.h"

#include <CLI/CLI.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace shardlab::cli {
namespace {

OptionText textOf(const CLI::Option& option) {
    OptionText text;
    text.argument = option.get_positional();
    if (text.argument) text.names = {option.get_name()};
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
    text.help = option.get_description();
    return text;
}

VerbText textOf(const CLI::App& app) {
    VerbText text{app.get_name(), app.get_description(), {}, app.get_footer()};
    for (const CLI::Option* option : app.get_options()) text.options.push_back(textOf(*option));
    std::ranges::stable_partition(text.options, &OptionText::argument);
    return text;
}

/// A check of a number's value, which says what is wrong with it.
CLI::Validator inRange(std::function<bool(double)> holds, const std::string& wrong) {
    return {[holds = std::move(holds), wrong](const std::string& text) {
                const auto value = parseNumber<double>(text);
                if (!value) return fmt::format("\"{}\" is no number", text);
                return holds(*value) ? std::string() : fmt::format("{} {}", text, wrong);
            },
            ""};
}

/// The name in "--steps=3".
std::string_view nameIn(std::string_view word) { return word.substr(0, word.find('=')); }

/// "shardlab plan [OPTIONS] LAYOUT"
std::string usageOf(const std::string& program, const CLI::App& app) {
    std::string usage = program + " [OPTIONS]";
    for (const CLI::Option* option : app.get_options())
        if (option->get_positional())
            usage += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
    return usage;
}

/// The option whose value cannot be read: reading it again fails again.
const CLI::Option* misread(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        try {
            if (option->count() > 0) option->run_callback();
        } catch (const CLI::ParseError&) {
            return option;
        }
    }
    return nullptr;
}

Error unexpected(const CLI::App& verb, const std::string& program, const std::string& word) {
    if (!word.starts_with('-'))
        return {say("there is one argument too many"), word, say("{} takes no more", program), usageOf(program, verb)};
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options())
        std::ranges::move(textOf(*option).names, std::back_inserter(names));
    std::erase_if(names, [](const std::string& name) { return !name.starts_with("--"); });
    return {say("there is no such option"),
            nameIn(word),
            {},
            layout::legalWords(nameIn(word), {names.begin(), names.end()})};
}

/// What is wrong with the command line, and what would be legal.
Error wrongLine(CLI::App& app, const CLI::ParseError& wrong) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    CLI::App& verb = chosen.empty() ? app : *chosen.front();
    const std::string program = chosen.empty() ? app.get_name() : app.get_name() + " " + verb.get_name();
    const Sentence more = say("{}; {} --help tells more", usageOf(program, verb), program);
    if (const std::vector<std::string> left = app.remaining(true); !left.empty())
        return unexpected(verb, program, left.front());
    for (const CLI::Option* option : verb.get_options())
        if (option->get_required() && option->count() == 0)
            return {say("{} is missing", option->get_name()), program, option->get_description(), more};
    // CLI11 says the option's name before what its check says.
    const std::string told = wrong.what();
    for (const CLI::Option* option : verb.get_options()) {
        const std::string name = option->get_name();
        if (!told.starts_with(name + ": ")) continue;
        if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr)
            return {say("the value is missing"), name, option->get_description(), more};
        return {say("the value is not legal"), name, told.substr(name.size() + 2), more};
    }
    if (const CLI::Option* option = misread(verb))
        return {say("the value cannot be read"), option->get_name(),
                say("\"{}\" is no number", fmt::format("{}", fmt::join(option->results(), " "))), more};
    return {told, program, {}, more};
}

}  // namespace

Option& Option::typeName(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::required(bool really) {
    option_->required(really);
    return *this;
}

Option& Option::needs(const Option& other) {
    option_->needs(other.option_);
    return *this;
}

Option& Option::excludes(const Option& other) {
    option_->excludes(other.option_);
    return *this;
}

Option& Option::oneOf(const std::vector<std::string>& values) {
    const auto wrong = [values](const std::string& value) {
        if (std::ranges::find(values, value) != values.end()) return std::string();
        return fmt::format("\"{}\" is none of {}", value,
                           layout::legalWords(value, {values.begin(), values.end()}).english());
    };
    option_->check(CLI::Validator(wrong, fmt::format("{{{}}}", fmt::join(values, ","))));
    return *this;
}

Option& Option::nonNegative() {
    option_->check(inRange([](double value) { return value >= 0; }, "is less than 0"));
    return *this;
}

Option& Option::positive() {
    option_->check(inRange([](double value) { return value > 0; }, "is not above 0"));
    return *this;
}

Option& Option::between(int least, int most) {
    option_->check(inRange([least, most](double value) { return value >= least && value <= most; },
                           fmt::format("is not from {} to {}", least, most)));
    return *this;
}

Option& Option::bytes(std::optional<std::uint64_t> most) {
    option_->transform(CLI::AsSizeValue(false));
    if (most) option_->check(CLI::Range(std::uint64_t{0}, *most));
    return *this;
}

Option& Option::showDefault() {
    option_->capture_default_str();
    return *this;
}

Option& Option::oneValueEach() {
    option_->allow_extra_args(false);
    return *this;
}

Option& Option::optionalValue() {
    option_->expected(0, 1)->default_str("");
    return *this;
}

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->set_version_flag("--version", "shardlab " SHARDLAB_VERSION);
    app_->set_help_flag("-h,--help", "Print this help and exit");
    app_->require_subcommand(1);
    app_->get_formatter()->column_width(34);
    app_->footer("Exit status: 0 success, 1 failure, 2 wrong use. shardlab VERB --help tells more.");
}

CommandLine::~CommandLine() = default;

std::vector<std::string> CommandLine::verbs() const {
    std::vector<std::string> names;
    for (const CLI::App* verb : app_->get_subcommands({})) names.push_back(verb->get_name());
    return names;
}

std::optional<std::string> CommandLine::help(const std::string& verb) const {
    for (const CLI::App* each : app_->get_subcommands({}))
        if (each->check_name(verb)) return each->help(app_->get_name());
    return std::nullopt;
}

VerbText CommandLine::describe() const { return textOf(*app_); }

std::vector<VerbText> CommandLine::describeVerbs() const {
    std::vector<VerbText> verbs;
    for (const CLI::App* verb : app_->get_subcommands({})) verbs.push_back(textOf(*verb));
    return verbs;
}

std::optional<Action> CommandLine::read(int argc, char** argv, int& status) {
    try {
        app_->parse(argc, argv);
        return chosen_;
    } catch (const CLI::ParseError& wrong) {
        status = wrong.get_exit_code() == 0 ? success : wrongUse;
        if (status == success) app_->exit(wrong);  // prints what was asked for: --help, --version
        else printError(wrongLine(*app_, wrong));
        return std::nullopt;
    }
}

Verb::Verb(CommandLine& line, const std::string& name, const std::string& description)
    : app_(line.app_->add_subcommand(name, description)), chosen_(&line.chosen_) {}

template <class T>
Option Verb::option(const std::string& name, T& target, const std::string& help) {
    return Option(*app_->add_option(name, target, help));
}

template Option Verb::option(const std::string&, std::string&, const std::string&);
template Option Verb::option(const std::string&, int&, const std::string&);
template Option Verb::option(const std::string&, double&, const std::string&);
template Option Verb::option(const std::string&, std::uint64_t&, const std::string&);
template Option Verb::option(const std::string&, std::optional<std::string>&, const std::string&);
template Option Verb::option(const std::string&, std::optional<int>&, const std::string&);
template Option Verb::option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option Verb::option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option Verb::option(const std::string&, std::vector<std::string>&, const std::string&);

Option Verb::flag(const std::string& name, bool& target, const std::string& help) {
    return Option(*app_->add_flag(name, target, help));
}

Option Verb::flag(const std::string& name, std::function<void()> act, const std::string& help) {
    return Option(*app_->add_flag_callback(name, std::move(act), help));
}

void Verb::footer(const std::string& text) { app_->footer(text); }

void Verb::runs(Action action, std::function<std::string()> missing) {
    app_->callback([chosen = chosen_, action = std::move(action), missing = std::move(missing)] {
        if (const std::string what = missing ? missing() : std::string(); !what.empty()) throw CLI::RequiredError(what);
        *chosen = action;
    });
}

}  // namespace shardlab::cli
