// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/text_generator.h"

#include "engine/base/random.h"

#include <array>
#include <string_view>

namespace shardlab::layout {

namespace {

struct Person {
    std::string_view name;
    std::string_view pronoun;
};
struct Noun {
    std::string_view one;
    std::string_view many;
};
struct Verb {
    std::string_view one;   ///< "the dog runs"
    std::string_view many;  ///< "the dogs run"
};

constexpr std::array<Person, 12> people{{{"Anna", "she"},
                                         {"Ben", "he"},
                                         {"Clara", "she"},
                                         {"David", "he"},
                                         {"Emma", "she"},
                                         {"Frank", "he"},
                                         {"Greta", "she"},
                                         {"Henry", "he"},
                                         {"Ida", "she"},
                                         {"Jonas", "he"},
                                         {"Karla", "she"},
                                         {"Leo", "he"}}};
constexpr std::array<std::string_view, 10> places{"Bergen", "Dublin", "Geneva", "Lisbon", "Madrid",
                                                  "Oslo",   "Prague", "Riga",   "Turin",  "Vienna"};
constexpr std::array<Noun, 10> things{{{"apple", "apples"},
                                       {"book", "books"},
                                       {"box", "boxes"},
                                       {"coin", "coins"},
                                       {"key", "keys"},
                                       {"lamp", "lamps"},
                                       {"letter", "letters"},
                                       {"pear", "pears"},
                                       {"stone", "stones"},
                                       {"watch", "watches"}}};
constexpr std::array<Noun, 8> animals{{{"bird", "birds"},
                                       {"cat", "cats"},
                                       {"dog", "dogs"},
                                       {"fox", "foxes"},
                                       {"goose", "geese"},
                                       {"horse", "horses"},
                                       {"mouse", "mice"},
                                       {"sheep", "sheep"}}};
constexpr std::array<Verb, 8> verbs{{{"runs", "run"},
                                     {"sleeps", "sleep"},
                                     {"waits", "wait"},
                                     {"sings", "sing"},
                                     {"hides", "hide"},
                                     {"jumps", "jump"},
                                     {"watches", "watch"},
                                     {"is", "are"}}};
constexpr std::array<std::string_view, 8> adjectives{"big", "small", "old", "young", "quiet", "happy", "grey", "quick"};
constexpr std::array<std::string_view, 8> spots{"in the garden",    "near the river", "behind the house",
                                                "under the bridge", "on the hill",    "at the station",
                                                "by the old wall",  "in the forest"};

/// One scene: people, places and numbers of things, to which later sentences refer back.
class Scene {
public:
    explicit Scene(RandomStream& random)
        : random_(random), hero_(pick(people)), friend_(pick(people)), place_(pick(places)), thing_(pick(things)),
          count_(1 + number(9)) {
        while (friend_.name == hero_.name) friend_ = pick(people);
    }

    std::string text() {
        add({hero_.name, " lives in ", place_, "."});
        add({capital(hero_.pronoun), " has ", amount(count_), "."});
        for (int left = 3 + number(4); left > 0; --left) switch (number(6)) {
            case 0: trade(); break;
            case 1: animal(); break;
            case 2: question(); break;
            case 3: sum(); break;
            case 4: sum(); break;
            default: add({friend_.name, " comes to ", place_, " and meets ", hero_.name, "."});
            }
        add({"Now ", hero_.name, " has ", amount(count_), "."});
        text_.back() = '\n';
        return std::move(text_);
    }

private:
    int number(int below) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(below))); }

    template <class List>
    const typename List::value_type& pick(const List& list) {
        return list[random_.below(static_cast<std::uint32_t>(list.size()))];
    }

    void add(std::initializer_list<std::string_view> words) {
        for (std::string_view word : words) text_ += word;
        text_ += ' ';
    }

    static std::string capital(std::string_view word) {
        std::string made(word);
        made[0] = static_cast<char>(made[0] - 'a' + 'A');
        return made;
    }

    std::string amount(int count) const {
        return std::to_string(count) + ' ' + std::string(count == 1 ? thing_.one : thing_.many);
    }

    /// Changes the count: later sentences are right only for a reader who has followed the arithmetic.
    void trade() {
        const int some = 1 + number(9);
        if (number(2) == 0 || some >= count_) {
            count_ += some;
            add({capital(hero_.pronoun), " buys ", std::to_string(some), " more, so ", hero_.pronoun, " has ",
                 amount(count_), "."});
        } else {
            count_ -= some;
            add({capital(hero_.pronoun), " gives ", std::to_string(some), " to ", friend_.name, ", so ", hero_.pronoun,
                 " has ", amount(count_), "."});
        }
    }

    void animal() {
        const Noun& noun = pick(animals);
        const Verb& verb = pick(verbs);
        const bool one = number(2) == 0;
        add({"The ", pick(adjectives), " ", one ? noun.one : noun.many, " ", one ? verb.one : verb.many, " ",
             pick(spots), "."});
    }

    void question() {
        add({"\"Where is ", hero_.name, "?\" asks ", friend_.name, "."});
        add({"\"", capital(hero_.pronoun), " is in ", place_, ".\""});
    }

    void sum() {
        const int a = number(10), b = number(10);
        add({std::to_string(a), "+", std::to_string(b), "=", std::to_string(a + b), "."});
    }

    RandomStream& random_;
    Person hero_;
    Person friend_;
    std::string_view place_;
    Noun thing_;
    int count_;
    std::string text_;
};

}  // namespace

std::string generateText(std::int64_t seed, std::size_t bytes) {
    RandomStream random(seed, "text");
    std::string text;
    text.reserve(bytes + 1024);
    while (text.size() < bytes) text += Scene(random).text();
    text.resize(bytes);
    return text;
}

}  // namespace shardlab::layout
