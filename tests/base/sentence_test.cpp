// SPDX-License-Identifier: Apache-2.0
#include "engine/base/sentence.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>

using namespace shardlab::test;

namespace {

/// The sentence in a language that has these translations, and English for the rest.
std::string toldIn(const std::map<std::string, std::string, std::less<>>& language, const Sentence& sentence) {
    return sentence.told([&](std::string_view pattern) {
        const auto found = language.find(pattern);
        return found == language.end() ? std::string(pattern) : found->second;
    });
}

}  // namespace

class SentenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void englishIsWhatFmtMakes() {
        const int heads = 7;
        const Sentence sentence = say("{} heads take {:.2f} s of {{{}}}, {:>4}", heads, 1.5, "x", Sentence("y"));
        QCOMPARE(sentence.english(), fmt::format("{} heads take {:.2f} s of {{{}}}, {:>4}", 7, 1.5, "x", "y"));
        QCOMPARE(sentence.told([](std::string_view pattern) { return std::string(pattern); }),
                 std::string("7 heads take 1.50 s of {x}, y"));
        QCOMPARE(fmt::format("<{}>", sentence), "<" + sentence.english() + ">");
        QVERIFY(Sentence().empty() && !sentence.empty());
        QVERIFY(sentence == say("{} heads take {:.2f} s of {{{}}}, {:>4}", 7, 1.5, "x", Sentence("y")));
    }

    void translationsMayTurnPlacesRound() {
        const Sentence sentence = say("{} of {:.1f} ms: {}", "F", 2.5, say("{} or {}", 1, "two"));
        QCOMPARE(toldIn({{"{} of {:.1f} ms: {}", "{1} ms {0}, {2}"}, {"{} or {}", "{1}/{0}"}}, sentence),
                 std::string("2.5 ms F, two/1"));
    }

    /// What a translation lacks is left out, and a place that there is not is empty: no text of a file ends the
    /// program.
    void aWrongTranslationDoesNoHarm() {
        const Sentence sentence = say("{} and {}", 1, 2);
        for (const char* wrong : {"{7}", "{", "}", "{}{}{}", "", "{9", "}}{{"})
            QVERIFY(toldIn({{"{} and {}", wrong}}, sentence).size() <= 3);
    }

    /// A sentence once equalled no literal, whatever both said, so that what must not be said was never found.
    void aSentenceIsComparedByWhatItSays() {
        QVERIFY(say("{} heads", 7) == "7 heads" && "7 heads" == say("{} heads", 7));
        QVERIFY(say("{} heads", 7) == say("7 {}", "heads") && say("gpt") == Sentence("gpt"));
        QVERIFY(!(say("{} heads", 7) != "7 heads") && say("{} heads", 7) != "8 heads" && say("gpt") != Sentence());
        QCOMPARE(say("{} heads", 7), Sentence(std::string("7 heads")));
    }

    void namesAndNumbersAreTheSameInAllLanguages() {
        QCOMPARE(toldIn({{"gpt", "no"}}, Sentence("gpt")), std::string("gpt"));
        QCOMPARE(toldIn({{"ring", "环"}}, say("{} {}", termOf("ring"), "ring")), std::string("环 ring"));
    }
};

QTEST_GUILESS_MAIN(SentenceTest)
#include "sentence_test.moc"
