// SPDX-License-Identifier: Apache-2.0
// Scripts for Slurm around what is written for other trainers: bash runs them, with programs in place of Slurm's and
// the launchers that print what they are given.
#include "engine/trace/trainers/trainer_target.h"

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/command.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// A layout that each target can do: two nodes of four devices.
Layout twoNodes() {
    Layout layout;
    layout.model.kind = ModelKind::Llama;
    layout.parallel = {};
    layout.parallel.data = 8, layout.parallel.pipeline = 1;
    layout.schedule = {};
    layout.batch = {.global = 16, .micro = 1};
    layout.cluster.hosts = {{"n1", 4}, {"n2", 4}};
    layout.run.maxRestarts = 2;
    return layout;
}

}  // namespace

class SbatchScriptTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    void program(const char* name, const char* text) const {
        const QString file = writeFile(folder_.filePath(QString("bin/") + name), QByteArray("#!/bin/bash\n") + text);
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }
    /// What the script prints, or why it ended.
    QByteArray ran(const QString& script, const QStringList& environment) const {
        QProcess bash;
        QProcessEnvironment more = QProcessEnvironment::systemEnvironment();
        more.insert("PATH", folder_.filePath("bin") + ":" + more.value("PATH"));
        more.insert("SLURM_JOB_NODELIST", "n[1-2]");
        for (const QString& each : environment) more.insert(each.section('=', 0, 0), each.section('=', 1));
        bash.setProcessEnvironment(more);
        bash.setWorkingDirectory(folder_.path());
        bash.start("bash", {script});
        bash.waitForFinished();
        return bash.exitStatus() == QProcess::NormalExit && bash.exitCode() == 0 ? bash.readAllStandardOutput()
                                                                                 : bash.readAllStandardError();
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir(folder_.path()).mkdir("bin"));
        program("scontrol", "[[ $* == 'show hostnames n[1-2]' ]] && printf 'n1\\nn2\\n'\n");
        program("srun", "exec \"$@\"\n");
        program("torchrun", "printf '%s\\n' torchrun \"$@\" \"PYTHONPATH=$PYTHONPATH\"\n");
        program("accelerate", "printf '%s\\n' accelerate \"$@\"\n");
    }

    void aScriptStartsWhatLiesBesideIt_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("named");  ///< after it stands what was written
        for (const auto& [target, named] : {std::pair{"megatron-bridge", "n1:29500"},
                                            {"nemo", "n1:29500"},
                                            {"torchtitan", "--job.config_file"},
                                            {"torchtitan-0.3", "--module"},
                                            {"deepspeed", "--deepspeed_config"},
                                            {"accelerate", "--config_file"},
                                            {"megatron", ""}})
            QTest::newRow(target) << target << named;
    }
    void aScriptStartsWhatLiesBesideIt() {
        QFETCH(const QString, target);
        QFETCH(const QString, named);
        const TrainerTarget& to = *findTrainerTarget(target.toStdString());
        const Layout layout = twoNodes();
        const std::vector<Fault> faults = check(layout, scheduleMethods());
        QVERIFY2(faults.empty(), toText(faults).c_str());
        const std::string name = exportedFileName(to, "mine of two", true);
        const auto exported = exportLayout(layout, to, optionsFor(to, name, true));
        QVERIFY2(exported, exported ? "" : qPrintable(QString::fromStdString(toText(exported.error()))));
        const QString script =
            writeFile(folder_.filePath(QString::fromStdString(name)), QByteArray::fromStdString(exported->text));
        for (const char* line : {"#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=1\n", "#SBATCH --gpus-per-node=4\n"})
            QVERIFY2(exported->text.find(line) != std::string::npos, exported->text.c_str());
        QStringList beside;
        for (const CompanionFile& each : exported->companions) beside << QString::fromStdString(each.name);

        const bool script_of_theirs = target == "deepspeed" || target == "accelerate";
        if (script_of_theirs) {
            const QByteArray why = ran(script, {});
            QVERIFY2(why.contains("TRAIN_SCRIPT: is the training script to be started"), why.constData());
        }
        const QStringList words =
            QString::fromUtf8(ran(script, {"TRAIN_SCRIPT=my train.py", "MEGATRON_LM=/megatron"})).split('\n');
        QVERIFY2(words.size() > 5, qPrintable(words.join('\n')));
        if (target == "accelerate") {
            QCOMPARE(words.mid(0, 2), QStringList({"accelerate", "launch"}));
            QCOMPARE(words[words.indexOf("--main_process_ip") + 1], QStringLiteral("n1"));
        } else {
            QCOMPARE(words.mid(0, 7),
                     QStringList({"torchrun", "--nnodes", "2", "--nproc-per-node", "4", "--max-restarts", "2"}));
            QCOMPARE(words[words.indexOf("--rdzv-endpoint") + 1], QStringLiteral("n1:29500"));
        }
        if (script_of_theirs) QVERIFY(words.contains("my train.py"));
        if (target == "megatron") {
            QVERIFY(words.contains("/megatron/pretrain_gpt.py") && words.contains("--num-layers"));
            QVERIFY(beside.isEmpty());
            return;
        }
        // What is started is what lies beside the script, and in a module's case where Python looks for it.
        QVERIFY2(words.contains(named), qPrintable(words.join('\n')));
        const QString told = words[words.indexOf(named) + 1];
        QVERIFY2(beside.contains(target == "torchtitan-0.3" ? told + ".py" : told),
                 qPrintable(told + " of " + beside.join(' ')));
        if (target.startsWith("torchtitan")) QVERIFY(words.contains("PYTHONPATH=" + folder_.path()));
    }

    /// A script that somebody calls as its configuration would be called does not take the configuration's place.
    void aScriptIsNotWrittenOver() {
        for (const TrainerTarget& target : trainerTargets()) {
            const std::string name = exportedFileName(target, "mine", false);
            const auto exported = exportLayout(twoNodes(), target, optionsFor(target, name, true));
            QVERIFY(exported);
            for (const CompanionFile& each : exported->companions) QVERIFY2(each.name != name, name.c_str());
        }
    }

    /// What the first lines of a file tell to start is the file, by whatever name it was written.
    void aFileNamesItself_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("name");
        for (const char* target : {"megatron-bridge", "nemo", "torchtitan", "torchtitan-0.3"}) {
            const std::string usual = exportedFileName(*findTrainerTarget(target), "mine", false);
            QTest::addRow("%s by its usual name", target) << target << QString::fromStdString(usual);
            QTest::addRow("%s by another", target) << target << QStringLiteral("other.file");
        }
    }
    void aFileNamesItself() {
        QFETCH(const QString, target);
        QFETCH(const QString, name);
        const TrainerTarget& to = *findTrainerTarget(target.toStdString());
        const auto exported = exportLayout(twoNodes(), to, optionsFor(to, name.toStdString(), false));
        QVERIFY(exported);
        const QString head = QString::fromStdString(exported->text).section('\n', 1, 1);
        const QString told =
            target == "torchtitan-0.3" ? "--module " + name.section('.', 0, 0) + " --config shardlab" : " " + name;
        QVERIFY2(head.contains("torchrun --nnodes 2") && head.endsWith(told), qPrintable(head));
    }
};

QTEST_GUILESS_MAIN(SbatchScriptTest)
#include "sbatch_script_test.moc"
