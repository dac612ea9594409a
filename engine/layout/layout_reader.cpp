// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_fields.h"
#include "engine/base/most_ranks.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_json.h"
#include "engine/layout/suggest.h"

#include <cmath>
#include <limits>

namespace shardlab::layout {
namespace {

using nlohmann::json;

constexpr std::size_t longestList = mostRanks;
constexpr std::string_view oneHost = "{\"name\": \"localhost\", \"devices\": 4}";

constexpr std::string_view versionPointer = "/version";

Status knownVersion(const json& root) {
    const json stated = root.value(json::json_pointer(std::string(versionPointer)), json(layoutVersion));
    if (stated.is_number_integer() && stated >= 1 && stated <= layoutVersion) return {};
    return fail({say("this layout cannot be read"), std::string(versionPointer),
                 stated.is_number_integer() && stated > layoutVersion
                     ? say("a newer Shardlab wrote it, as version {}", shownValue(stated))
                     : say("{} is no version of a layout", shownValue(stated)),
                 layoutVersion == 1 ? say("1, or no version") : say("1 to {}", layoutVersion)});
}

class Reader {
public:
    ParsedLayout take() {
        listFirst(faults_);
        return {std::move(layout_), std::move(faults_)};
    }

    void readObject(const json& object, const std::string& pointer) {
        for (const auto& [key, value] : object.items()) {
            if (full()) return;
            const std::string child = childPointer(pointer, key);
            const Field* field = findField(child);
            if (child == versionPointer) continue;
            if (field != nullptr)
                std::visit([&](const auto& access) { readField(value, child, access); }, field->access);
            else if (isSection(child)) readSection(value, child);
            else unknownKey(pointer, child, key, namesUnder(pointer));
        }
    }

private:
    /// More faults than are told: whatever else is wrong need not be looked for.
    bool full() const { return faults_.size() > mostFaults; }
    void tell(Fault fault) {
        if (!full()) faults_.push_back(std::move(fault));
    }

    static bool isSection(const std::string& pointer) {
        for (const Field& field : fields())
            if (field.pointer.starts_with(pointer + "/")) return true;
        return false;
    }

    /// Keys that may stand in the object at `pointer`, each once, in the table's order.
    static std::vector<std::string_view> namesUnder(const std::string& pointer) {
        std::vector<std::string_view> names;
        if (pointer.empty()) names.push_back(versionPointer.substr(1));
        for (const Field& field : fields()) {
            if (!field.pointer.starts_with(pointer + "/")) continue;
            std::string_view rest = field.pointer.substr(pointer.size() + 1);
            rest = rest.substr(0, rest.find('/'));
            if (names.empty() || names.back() != rest) names.push_back(rest);
        }
        return names;
    }

    void unknownKey(const std::string& parent, const std::string& pointer, const std::string& key,
                    const std::vector<std::string_view>& names) {
        constexpr std::size_t longestPointer = 200;  ///< bytes: what is longer is no key of ours
        tell({pointer.substr(0, longestPointer), say("unknown key"),
              parent.empty() ? say("a layout has no field of this name") : say("{} has no field of this name", parent),
              legalWords(key, names)});
    }

    void readSection(const json& value, const std::string& pointer) {
        if (value.is_object()) readObject(value, pointer);
        else wrongType(value, pointer, say("an object"));
    }

    void wrongType(const json& value, const std::string& pointer, Sentence wanted) {
        tell({pointer, say("wrong type"), say("{} is a JSON {}", shownValue(value), value.type_name()),
              std::move(wanted)});
    }

    /// Whole numbers may be written 4, 4.0 or 4e0.
    template <class Integer>
    bool integer(const json& value, const std::string& pointer, Integer& target) {
        using Limits = std::numeric_limits<Integer>;
        bool fits = false;
        if (value.is_number_unsigned()) {
            fits = value.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max());
        } else if (value.is_number_integer()) {
            fits = value.get<std::int64_t>() >= Limits::min() && value.get<std::int64_t>() <= Limits::max();
        } else if (value.is_number_float()) {
            const double number = value.get<double>();
            if (number != std::floor(number)) {
                wrongType(value, pointer, say("a whole number"));
                return false;
            }
            fits = number >= static_cast<double>(Limits::min()) && number < -static_cast<double>(Limits::min());
        } else {
            wrongType(value, pointer, say("a whole number"));
            return false;
        }
        if (!fits) {
            tell({pointer, say("out of range"), say("{} does not fit", shownValue(value)),
                  say("a whole number from {} to {}", Limits::min(), Limits::max())});
            return false;
        }
        target = value.is_number_float() ? static_cast<Integer>(value.get<double>()) : value.get<Integer>();
        return true;
    }

    bool number(const json& value, const std::string& pointer, double& target) {
        if (!value.is_number()) {
            wrongType(value, pointer, say("a number"));
            return false;
        }
        target = value.get<double>();
        return true;
    }

    bool text(const json& value, const std::string& pointer, std::string& target) {
        if (!value.is_string()) {
            wrongType(value, pointer, say("a text"));
            return false;
        }
        target = value.get<std::string>();
        return true;
    }

    void readField(const json& value, const std::string& pointer, IntegerField access) {
        integer(value, pointer, access(layout_));
    }
    void readField(const json& value, const std::string& pointer, LongField access) {
        integer(value, pointer, access(layout_));
    }
    void readField(const json& value, const std::string& pointer, NumberField access) {
        number(value, pointer, access(layout_));
    }
    void readField(const json& value, const std::string& pointer, TextField access) {
        text(value, pointer, access(layout_));
    }
    void readField(const json& value, const std::string& pointer, const WordField& access) {
        std::string word;
        if (text(value, pointer, word) && !access.setWord(layout_, word))
            tell(unknownWord(pointer, word, {access.words.begin(), access.words.end()}, findField(pointer)->planned,
                             say("the words are fixed")));
    }
    void readField(const json& value, const std::string& pointer, BooleanField access) {
        if (value.is_boolean()) access(layout_) = value.get<bool>();
        else wrongType(value, pointer, say("true or false"));
    }

    /// A list is taken only whole: with one bad element it keeps its default.
    template <class T, class ReadElement>
    void readList(const json& value, const std::string& pointer, const Sentence& wanted, std::vector<T>& target,
                  ReadElement readElement) {
        if (!value.is_array()) return wrongType(value, pointer, wanted);
        if (value.size() > longestList)
            return tell({pointer, say("too many elements"), say("the list has {} of them", value.size()),
                         say("at most {}, as a run has no more ranks", longestList)});
        std::vector<T> list(value.size());
        bool good = true;
        for (std::size_t i = 0; i < list.size() && !full(); ++i)
            good = readElement(value[i], childPointer(pointer, std::to_string(i)), list[i]) && good;
        if (good && !full()) target = std::move(list);
    }

    void readField(const json& value, const std::string& pointer, IntegerListField access) {
        readList(value, pointer, say("a list of whole numbers"), access(layout_),
                 [this](const json& v, const std::string& p, int& target) { return integer(v, p, target); });
    }
    void readField(const json& value, const std::string& pointer, NumberListField access) {
        readList(value, pointer, say("a list of numbers"), access(layout_),
                 [this](const json& v, const std::string& p, double& target) { return number(v, p, target); });
    }
    void readField(const json& value, const std::string& pointer, TextListField access) {
        readList(value, pointer, say("a list of texts"), access(layout_),
                 [this](const json& v, const std::string& p, std::string& target) { return text(v, p, target); });
    }
    void readField(const json& value, const std::string& pointer, const WordSetField& access) {
        std::vector<std::string> words;
        readList(value, pointer, say("a list of words"), words,
                 [&](const json& v, const std::string& p, std::string& target) {
                     if (!text(v, p, target)) return false;
                     const bool known = std::ranges::find(access.words, target) != access.words.end();
                     if (!known)
                         tell(unknownWord(p, target, {access.words.begin(), access.words.end()}, {},
                                          say("the words are fixed")));
                     return known;
                 });
        for (std::size_t i = 0; i < access.words.size(); ++i)
            access.set(layout_, i, std::ranges::find(words, access.words[i]) != words.end());
    }
    void readField(const json& value, const std::string& pointer, HostListField access) {
        readList(value, pointer, say("a list of hosts, {}", oneHost), access(layout_),
                 [this](const json& v, const std::string& p, HostSpec& target) { return host(v, p, target); });
    }

    bool host(const json& value, const std::string& pointer, HostSpec& target) {
        if (!value.is_object()) {
            wrongType(value, pointer, say("a host, {}", oneHost));
            return false;
        }
        bool good = true;
        for (const auto& [key, part] : value.items()) {
            const std::string child = childPointer(pointer, key);
            if (key == "name") good = text(part, child, target.name) && good;
            else if (key == "devices") good = integer(part, child, target.devices) && good;
            else unknownKey(pointer, child, key, {"name", "devices"});
        }
        return good;
    }

    void readField(const json& value, const std::string& pointer, PaceField access) {
        if (value.is_null()) return access(layout_).reset();
        if (!value.is_object()) return wrongType(value, pointer, say("an object, or null for a run at full speed"));
        access(layout_).emplace();
        readObject(value, pointer);
    }

    Layout layout_;
    std::vector<Fault> faults_;
};

}  // namespace

Result<ParsedLayout> layoutFromJson(const json& root) {
    if (const Status version = knownVersion(root); !version) return fail(version.error());
    Reader reader;
    reader.readObject(root, "");
    return reader.take();
}

}  // namespace shardlab::layout
