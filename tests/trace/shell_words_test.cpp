// SPDX-License-Identifier: Apache-2.0
// What is read of a shell script without running it, against bash: whole numbers, defaults of variables, branches.
#include "engine/trace/trainers/shell_words.h"

#include "engine/trace/trainers/shell_arithmetic.h"
#include "engine/trace/trainers/shell_branches.h"
#include "tests/support/seed.h"
#include "tests/support/trainer_draws.h"
#include "tests/support/wings.h"

#include <QProcess>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// What bash prints, line by line.
QStringList bashPrints(const std::string& script) {
    QProcess bash;
    bash.start("bash", {"-c", QString::fromStdString(script)});
    return bash.waitForFinished(patience)
               ? QString::fromUtf8(bash.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts)
               : QStringList();
}

const char* const names[] = {"A", "B", "C"};

/// Without a division by zero.
std::string drawnSum(TrainerDraw& draw, int depth) {
    const int what = draw.among(0, depth > 3 ? 2 : 6);
    if (what == 0) return std::to_string(draw.among(0, 5000));
    if (what <= 2) return std::string(draw.pick<const char*>({"", "$"})) + names[draw.among(0, 2)];
    if (what == 3) return "(" + drawnSum(draw, depth + 1) + ")";
    if (what == 4) return drawnSum(draw, depth + 1) + draw.pick<const char*>({"/", " % "}) + "7";
    return drawnSum(draw, depth + 1) + draw.pick<const char*>({" + ", "-", "*", " * "}) + drawnSum(draw, depth + 1);
}

std::string drawnCondition(TrainerDraw& draw) {
    const std::string a = std::string("$") + names[draw.among(0, 2)], b = std::to_string(draw.among(0, 3));
    const std::string test = draw.pick<const char*>({"=", "==", "!=", "-eq", "-ne", "-gt", "-ge", "-lt", "-le"});
    const std::string inner = draw.coin(6) ? std::string(draw.pick<const char*>({"-z", "-n"})) + " \"" + a + "\""
                                           : (draw.coin(4) ? "! " : "") + ("\"" + a + "\" ") + test + " " + b;
    return draw.coin() ? "[ " + inner + " ]" : "[[ " + inner + " ]]";
}

/// Ifs within ifs, each branch with an assignment to X.
std::string drawnBranches(TrainerDraw& draw, int depth, int& number) {
    const auto body = [&] {
        std::string text = "X=" + std::to_string(++number) + "\n";
        if (depth < 3 && draw.coin(3)) text += drawnBranches(draw, depth + 1, number);
        return text;
    };
    std::string text = "if " + drawnCondition(draw) + draw.pick<const char*>({"; then ", "\nthen\n"}) + body();
    for (int i = draw.among(0, 2); i > 0; --i) text += "elif " + drawnCondition(draw) + "; then\n" + body();
    if (draw.coin()) text += draw.pick<const char*>({"else\n", "else "}) + body();
    return text + "fi\n";
}

/// The value behind --x.
std::string valueOfX(const std::string& script) {
    for (const std::vector<std::string>& command : shellCommands(script))
        for (std::size_t i = 0; i + 1 < command.size(); ++i)
            if (command[i] == "--x") return command[i + 1];
    return "none";
}

}  // namespace

class ShellWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersAreThoseOfBash() {
        TrainerDraw draw(freshSeed());
        std::string script = "A=12 B=7 C=4096\n";
        std::vector<std::string> sums;
        for (int i = 0; i < 200; ++i) {
            sums.push_back(drawnSum(draw, 0));
            script += "echo $((" + sums.back() + "))\n";
        }
        const QStringList told = bashPrints(script);
        QCOMPARE(told.size(), static_cast<int>(sums.size()));
        for (int i = 0; i < told.size(); ++i) {
            const std::string& sum = sums[static_cast<std::size_t>(i)];
            const std::string read = valueOfX("A=12 B=7 C=4096\nrun --x $((" + sum + "))");
            // Where a number does not fit bash goes on with what is left of it.
            if (read.starts_with("$((")) continue;
            QVERIFY2(read == told[i].toStdString(), (sum + " is " + read).c_str());
        }
        const ShellVariables known{{"T", "8"}, {"P", "x"}};
        QCOMPARE(shellArithmetic("300 * 1000000000 * 2 / 2048", known).value_or(-1), std::int64_t{292968750});
        QCOMPARE(shellArithmetic(" 64 / (T * (2 + 2)) ", known).value_or(-1), std::int64_t{2});
        for (const char* none : {"", "P + 1", "1 +", "(1", "1)", "5 / 0", "5 % 0", "1 2", "9223372036854775807 + 1"})
            QVERIFY2(!shellArithmetic(none, known), none);
        QVERIFY(!shellArithmetic(std::string(1 << 20, '('), known));
        QVERIFY(!shellArithmetic(std::string(1 << 20, '-') + "1", known));
    }

    void branchesAreThoseOfBash() {
        TrainerDraw draw(freshSeed());
        std::string script;
        std::vector<std::string> cases;
        for (int i = 0; i < 60; ++i) {
            int number = 0;
            std::string text = "X=0 A=" + std::to_string(draw.among(0, 3)) + " B=" + std::to_string(draw.among(0, 3)) +
                               " C=" + std::to_string(draw.among(0, 3)) + "\n";
            for (int ifs = draw.among(1, 3); ifs > 0; --ifs) text += drawnBranches(draw, 0, number);
            cases.push_back(text);
            script += text + "echo $X\n";
        }
        const QStringList told = bashPrints(script);
        QCOMPARE(told.size(), static_cast<int>(cases.size()));
        for (int i = 0; i < told.size(); ++i) {
            const std::string& text = cases[static_cast<std::size_t>(i)];
            const std::string read = valueOfX(text + "run --x $X\n");
            QVERIFY2(read == told[i].toStdString(), (text + "is " + read + ", not " + told[i].toStdString()).c_str());
        }
    }

    /// A condition that the text does not settle leaves every branch in.
    void unsettledBranchesCount() {
        const auto words = [](std::vector<std::string> condition) { return shellCondition(condition); };
        QVERIFY(!words({"[", "$1", "=", "a", "]"}));
        QVERIFY(!words({"[", "-f", "a", "]"}));
        QVERIFY(!words({"[[", "a", "==", "a*", "]]"}));
        QVERIFY(!words({"grep", "-q", "a", "b"}));
        QVERIFY(!words({}));
        QCOMPARE(words({"[", "!", "-z", "a", "]"}), std::optional(true));
        const auto commands = shellCommands("if [ -n \"$1\" ] && [ 1 -eq 2 ]; then\nrun --a\nelse\nrun --b\nfi\n"
                                            "if [ 1 -eq 2 ]; then run --c; ARGS=(--d); fi; run --e");
        std::vector<std::string> options;
        for (const auto& command : commands)
            for (const std::string& word : command)
                if (word.starts_with("--")) options.push_back(word);
        QCOMPARE(options, (std::vector<std::string>{"--a", "--b", "--e"}));
    }

    void defaultsAndTexts_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* name, const char* script, const char* value) {
            QTest::newRow(name) << QByteArray(script) << QByteArray(value);
        };
        row("quotes", "N=${SLURM_NNODES:-\"4\"}\nrun --x $N", "4");
        row("one in another", "run --x ${A:-${B:-$((2 * 3))}}", "6");
        row("of what is empty", "A=\nrun --x ${A:-5}", "5");
        row("without a colon", "A=\nrun --x \"${A-5}\"", "");
        row("that is kept", ": ${A:=7}\nrun --x $A", "7");
        row("export", "export A=9\nrun --x $A", "9");
        row("one word", "A='1 2'\nB=$A\nrun --x \"$B\"", "1 2");
        row("behind then", "if [ 1 -eq 1 ]; then A=3; fi\nrun --x $A", "3");
        row("a text for a shell", "A=8\nsrun bash -c \"torchrun --x $A \\\n --y 1\"", "8");
        row("a variable of that text", "N=2\nsrun /bin/sh -lc 'run --x $N'", "2");
        row("a word of an array", "ARGS=(\n \"--x hybrid\"\n --y)\nrun ${ARGS[@]}", "hybrid");
        row("unknown", "run --x ${A%/*}", "${A%/*}");
    }
    void defaultsAndTexts() {
        QFETCH(const QByteArray, script);
        QFETCH(const QByteArray, value);
        QCOMPARE(QByteArray::fromStdString(valueOfX(script.toStdString())), value);
    }

    /// A word that doubles often, and is then said often, would fill the memory.
    void whatVariablesStandForIsBounded() {
        std::string script = "X=--abcdefgh\n";
        for (int i = 0; i < 40; ++i) script += "X=$X$X\n";
        for (int i = 0; i < 100'000; ++i) script += "echo $X\nY" + std::to_string(i) + "=$X\n";
        std::size_t characters = 0;
        for (const auto& command : shellCommands(script, {}))
            for (const std::string& word : command) characters += word.size();
        QVERIFY2(characters > 0 && characters <= std::size_t{1} << 24, std::to_string(characters).c_str());
    }
    void aTextThatNestsWithoutEndEnds() {
        for (const char* part : {"${A:-", "$((", "bash -c \"", "if [ 1 ]; then ", "ARGS=(\"--a "}) {
            std::string script;
            for (int i = 0; i < 20'000; ++i) script += part;
            QVERIFY(shellCommands(script).size() <= 20'001);
        }
    }
};

QTEST_GUILESS_MAIN(ShellWordsTest)
#include "shell_words_test.moc"
