// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parse_text.h"
#include "engine/layout/check/check.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_file.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_references.h"
#include "engine/launch/lesson/lesson_tasks.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <map>
#include <span>

namespace shardlab::launch {
namespace {

using nlohmann::json;

constexpr std::string_view fence = "```";
constexpr std::size_t mostExperiments = 16;  ///< each is planned as its lesson opens
constexpr std::size_t mostTasks = 32;        ///< questions, and as many steps

/// The first faults; a layout that is none of ours may have hundreds.
Sentence someFaults(const std::vector<Fault>& faults) {
    constexpr std::size_t most = 8;
    Sentence text = sentenceOf(faults.front());
    for (const Fault& fault : std::span(faults).first(std::min(faults.size(), most)).subspan(1))
        text = say("{0}; {1}", text, sentenceOf(fault));
    return faults.size() > most ? say("{}; and {} more", text, faults.size() - most) : text;
}

class LessonParser {
public:
    LessonParser(std::string_view text, std::string_view name) : text_(text) { lesson_.name = name; }

    Result<Lesson> parse() {
        const Status read = readLines();
        if (!read) return fail(read.error());
        for (const auto& [piece, token] : tokens_) {
            auto place = references_.figure(token);
            if (!place) return fail(place.error());
            lesson_.pieces[piece] = *place;
        }
        if (const Status done = readAll(questions_, readQuestion, lesson_.questions); !done) return fail(done.error());
        if (const Status done = readAll(steps_, readStep, lesson_.steps); !done) return fail(done.error());
        const auto readIf = [this](const LessonReferences& references, const LessonTask& task) {
            return readWhatIf(references, task,
                              [&](std::optional<std::size_t> like, const std::string& text, int line) {
                                  return whatIfLayout(like, text, line);
                              });
        };
        if (const Status done = readAll(whatIfs_, readIf, lesson_.whatIfs); !done) return fail(done.error());
        return std::move(lesson_);
    }

private:
    Sentence where(int line) const { return references_.where(line); }

    template <class Read, class Task>
    Status readAll(const std::vector<LessonTask>& texts, Read read, std::vector<Task>& tasks) const {
        for (const LessonTask& text : texts) {
            auto task = read(references_, text);
            if (!task) return fail(task.error());
            if (std::ranges::find(tasks, task->name, &Task::name) != tasks.end())  // progress is kept by name
                return fail({say("two questions, two steps or two what-ifs have one name"), where(text.line),
                             task->name, say("each name once")});
            tasks.push_back(std::move(*task));
        }
        return {};
    }

    /// The next line with its line feed; false at the end.
    bool next(std::string_view& line) {
        if (at_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        line = text_.substr(at_, end - at_);
        at_ = end;
        ++line_;
        return true;
    }

    Status readLines() {
        std::string_view line;
        if (!next(line) || !line.starts_with("# ") || trimmed(line.substr(2, line.find('\n') - 2)).empty())
            return fail({say("a lesson has no title"), where(1), say("its first line is another"), "# Title"});
        lesson_.title = trimmed(line.substr(2, line.find('\n') - 2));
        plain(line);
        while (next(line)) {
            Status read;
            if (line.starts_with("```experiment")) read = readExperiment(withoutEnd(line));
            else if (line.starts_with(LessonTask::question))
                read = readTask(line, LessonTask::question, questions_, LessonQuestionPlace{questions_.size()});
            else if (line.starts_with(LessonTask::step))
                read = readTask(line, LessonTask::step, steps_, LessonStepPlace{steps_.size()});
            else if (line.starts_with(LessonTask::whatIf))
                read = readTask(line, LessonTask::whatIf, whatIfs_, LessonWhatIfPlace{whatIfs_.size()});
            else if (line.starts_with(fence)) read = readFence(line);
            else read = readText(line);
            if (!read) return read;
        }
        return {};
    }

    static std::string_view withoutEnd(std::string_view line) { return line.substr(0, line.find('\n')); }

    void plain(std::string_view text) {
        if (lesson_.pieces.empty() || !std::holds_alternative<std::string>(lesson_.pieces.back()))
            lesson_.pieces.emplace_back(std::string());
        std::get<std::string>(lesson_.pieces.back()) += text;
    }

    Status readText(std::string_view line) {
        return references_.scan(
            line, line_, [this](std::string_view text) { plain(text); },
            [this](FigureToken token) {
                tokens_.emplace_back(lesson_.pieces.size(), std::move(token));
                lesson_.pieces.emplace_back(LessonFigurePlace{});
            });
    }

    /// What a question or a step says may name experiments below it.
    Status readTask(std::string_view line, std::string_view kind, std::vector<LessonTask>& tasks,
                    const LessonPiece& place) {
        LessonTask task{line_, std::string(trimmed(withoutEnd(line.substr(kind.size())))), {}};
        auto block = readBlock();
        if (!block) return fail(block.error());
        if (tasks.size() == mostTasks)
            return fail({say("a lesson asks too much"), where(task.line), {}, say("{} at most", mostTasks)});
        task.body = std::move(*block);
        tasks.push_back(std::move(task));
        lesson_.pieces.push_back(place);
        return {};
    }

    /// The lines up to the closing fence.
    Result<std::string> readBlock() {
        const int begin = line_;
        std::string block;
        for (std::string_view line; next(line);) {
            if (line.starts_with(fence) && trimmed(withoutEnd(line)) == fence) return block;
            block += line;
        }
        return fail({say("a block has no end"), where(begin), say("the lesson ends within it"),
                     say("a line of {} after its last line", fence)});
    }

    Status readFence(std::string_view line) {
        auto block = readBlock();
        if (!block) return fail(block.error());
        plain(std::string(line) + *block + "```\n");
        return {};
    }

    Status readExperiment(std::string_view line) {
        const int begin = line_;
        auto experiment = readHead(line);
        if (!experiment) return fail(experiment.error());
        auto block = readBlock();
        if (!block) return fail(block.error());
        experiment->json = std::move(*block);
        const Status read = readLayout(*experiment, begin);
        if (!read) return read;
        lesson_.pieces.emplace_back(LessonExperimentPlace{lesson_.experiments.size()});
        lesson_.experiments.push_back(std::move(*experiment));
        return {};
    }

    /// Reads the head "```experiment NAME like OTHER: title".
    Result<LessonExperiment> readHead(std::string_view line) {
        LessonExperiment experiment;
        std::string_view head = line.substr(std::string_view("```experiment").size());
        if (const std::size_t colon = head.find(':'); colon != std::string_view::npos) {
            experiment.title = trimmed(head.substr(colon + 1));
            head = head.substr(0, colon);
        }
        std::vector<std::string_view> words;
        for (head = trimmed(head); !head.empty();) {
            const std::size_t end = std::min(head.find_first_of(" \t"), head.size());
            words.push_back(head.substr(0, end));
            head = trimmed(head.substr(end));
        }
        const bool like = words.size() == 3 && words[1] == "like";
        if ((words.size() != 1 && !like) || !isName(words[0]))
            return fail({say("an experiment has no name"), where(line_), excerpt(line),
                         say("{}, {}, and : what it shows; a name is of a–z, 0–9, - and _", "```experiment NAME",
                             "```experiment NAME like OTHER")});
        experiment.name = words[0];
        if (references_.find(experiment.name))
            return fail({say("two experiments have one name"), where(line_), experiment.name, say("each name once")});
        if (lesson_.experiments.size() == mostExperiments)
            return fail(
                {say("a lesson has too many experiments"), where(line_), {}, say("{} at most", mostExperiments)});
        if (!like) return experiment;
        experiment.like = words[2];
        if (!references_.find(experiment.like))
            return fail(references_.unknown(say("there is no such experiment above"), line_, experiment.like));
        return experiment;
    }

    Status readLayout(LessonExperiment& experiment, int begin) {
        json whole = experiment.like.empty() ? json::object() : json_.at(experiment.like);
        auto read = layoutOf(whole, experiment.json, begin + 1, begin,
                             say("the layout of experiment {} is not legal", experiment.name));
        if (!read) return fail(read.error());
        experiment.layout = std::move(read->layout);
        if (!whole.contains("name")) experiment.layout.name = lesson_.name + " " + experiment.name;
        json_[experiment.name] = std::move(whole);
        return {};
    }

    /// The layout of a what-if bears the name of the experiment that it starts from, so that steps in that know it.
    Result<LessonLayout> whatIfLayout(std::optional<std::size_t> like, const std::string& text, int line) const {
        json whole = like ? json_.at(lesson_.experiments[*like].name) : json::object();
        auto read = layoutOf(whole, text, line, line, say("the layout that a what-if starts from is not legal"));
        if (read && !whole.contains("name"))
            read->layout.name = like ? lesson_.experiments[*like].layout.name : lesson_.name;
        return read;
    }

    /// Changes `whole` by what `text` says, which begins in line `first`, and reads it; errors name line `begin`.
    Result<LessonLayout> layoutOf(json& whole, const std::string& text, int first, int begin,
                                  const Sentence& illegal) const {
        // Line feeds before it: the parser then names lines of the lesson.
        auto own = parseJsonText(std::string(static_cast<std::size_t>(first - 1), '\n') + text);
        if (!own) {
            Error error = own.error();
            error.where = say("{}, {}", lesson_.name, error.where);
            return fail(std::move(error));
        }
        if (!own->root.is_object())
            return fail({say("a layout is no JSON object"), where(begin), {}, "{\"schedule\": {\"kind\": \"gpipe\"}}"});
        whole.merge_patch(own->root);
        auto parsed = parseLayout(whole.dump());
        if (!parsed) return fail(parsed.error());
        LessonLayout read{std::move(parsed->layout), whole.contains("cluster") && whole["cluster"].is_object() &&
                                                         whole["cluster"].contains("hosts")};
        if (!read.namesHosts) read.layout.cluster.hosts = {HostSpec{.devices = rankCount(read.layout)}};
        std::vector<Fault> faults = std::move(own->duplicates);
        faults.insert(faults.end(), parsed->faults.begin(), parsed->faults.end());
        if (faults.empty()) faults = check(read.layout, scheduleMethods());
        if (!faults.empty()) return fail({illegal, where(begin), someFaults(faults), {}});
        return read;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 0;
    Lesson lesson_;
    LessonReferences references_{lesson_};
    std::map<std::string, json> json_;                         ///< each experiment's, whole
    std::vector<std::pair<std::size_t, FigureToken>> tokens_;  ///< with the piece that each stands for
    std::vector<LessonTask> questions_, steps_, whatIfs_;
};

}  // namespace

Result<Lesson> parseLesson(std::string_view markdown, std::string_view name) {
    return LessonParser(markdown, name).parse();
}

}  // namespace shardlab::launch
