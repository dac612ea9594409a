// SPDX-License-Identifier: Apache-2.0
// The examples for clusters say what is so: verbs and options exist, packages are those that cpack makes, and the job
// for Kubernetes has the shape that the MPI Operator's v2beta1 takes.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

namespace {

const QString folder = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/clusters/");

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// What follows `shardlab run` in a text, as words.
QStringList optionsOfRun(const QString& text) {
    QStringList options;
    static const QRegularExpression option("(?<![\\w-])--[a-z][a-z-]*");
    for (auto each = option.globalMatch(text); each.hasNext();) options << each.next().captured();
    return options;
}

/// kubeflow.org/v2beta1, MPIJob: the keys of its specification and of a container that a job may have.
constexpr const char* judge = R"(
import json, sys, yaml, jsonschema
container = {'type': 'object', 'required': ['name', 'image'], 'additionalProperties': False, 'properties': {
    'name': {'type': 'string'}, 'image': {'type': 'string'}, 'securityContext': {'type': 'object'},
    'command': {'type': 'array', 'items': {'type': 'string'}}, 'args': {'type': 'array', 'items': {'type': 'string'}},
    'ports': {'type': 'array', 'items': {'type': 'object', 'required': ['containerPort']}},
    'resources': {'type': 'object', 'additionalProperties': False, 'properties': {
        'limits': {'type': 'object', 'additionalProperties': {'type': 'string'}}, 'requests': {'type': 'object'}}}}}
replica = {'type': 'object', 'additionalProperties': False, 'required': ['template'], 'properties': {
    'replicas': {'type': 'integer'}, 'restartPolicy': {'enum': ['Always', 'OnFailure', 'Never', 'ExitCode']},
    'template': {'type': 'object', 'properties': {'spec': {'type': 'object', 'required': ['containers'], 'properties': {
        'containers': {'type': 'array', 'items': container}}}}}}}
schema = {'type': 'object', 'additionalProperties': False, 'required': ['apiVersion', 'kind', 'metadata', 'spec'], 'properties': {
    'apiVersion': {'const': 'kubeflow.org/v2beta1'}, 'kind': {'const': 'MPIJob'}, 'metadata': {'type': 'object'},
    'spec': {'type': 'object', 'additionalProperties': False, 'required': ['mpiReplicaSpecs'], 'properties': {
        'slotsPerWorker': {'type': 'integer'}, 'mpiImplementation': {'enum': ['OpenMPI', 'Intel', 'MPICH']},
        'sshAuthMountPath': {'type': 'string'}, 'runLauncherAsWorker': {'type': 'boolean'},
        'launcherCreationPolicy': {'enum': ['AtStartup', 'WaitForWorkersReady']},
        'runPolicy': {'type': 'object', 'additionalProperties': False, 'properties': {
            'cleanPodPolicy': {'enum': ['None', 'Running', 'All']}, 'backoffLimit': {'type': 'integer'},
            'ttlSecondsAfterFinished': {'type': 'integer'}, 'activeDeadlineSeconds': {'type': 'integer'},
            'suspend': {'type': 'boolean'}, 'schedulingPolicy': {'type': 'object'}}},
        'mpiReplicaSpecs': {'type': 'object', 'additionalProperties': False, 'required': ['Launcher', 'Worker'],
                            'properties': {'Launcher': replica, 'Worker': replica}}}}}}
job = yaml.safe_load(open(sys.argv[1]))
jsonschema.validate(job, schema)
launcher = job['spec']['mpiReplicaSpecs']['Launcher']['template']['spec']['containers'][0]
print(json.dumps({'command': launcher['command'] + launcher['args'],
                  'slots': job['spec']['slotsPerWorker'] * job['spec']['mpiReplicaSpecs']['Worker']['replicas']}))
)";

}  // namespace

class ClusterExamplesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void imagesInstallThePackagesThatAreMade() {
        const QString made = textOf(QFileInfo(QStringLiteral(SHARDLAB_BIN_DIR)).path() + "/CPackConfig.cmake");
        if (made.isEmpty()) QSKIP("sanitized programs are not packed");
        static const QRegularExpression package("/packages/([a-z-]+)_\\*\\.deb");
        for (const char* name : {"Containerfile", "shardlab.def"}) {
            int packages = 0;
            for (auto each = package.globalMatch(textOf(folder + name)); each.hasNext(); ++packages) {
                const QString wanted = each.next().captured(1);
                QVERIFY2(made.contains("_PACKAGE_NAME \"" + wanted + "\""), qPrintable(wanted));
            }
            QCOMPARE(packages, 3);
        }
    }

    void theScriptForSlurmGoesOnWhereItWasStopped() {
        const QString script = folder + "train.sbatch";
        const QByteArray help = run({"run", "--help"}).out;
        for (const QString& option : optionsOfRun(textOf(script).section("set -eu", 1)))
            QVERIFY2(help.contains(option.toUtf8()), qPrintable(option));
        // In place of shardlab, a program that keeps its arguments and ends when it is told to.
        const QTemporaryDir place;
        const QString fake = writeFile(place.filePath("shardlab"), "#!/bin/bash\nprintf '%s\\n' \"$@\" >said\n"
                                                                   "touch shardlab-7.shardlab\n"
                                                                   "mkdir -p shardlab-7.checkpoints\n"
                                                                   "trap 'echo stopped >>said; exit 0' TERM\n"
                                                                   "touch begun; while :; do sleep 0.05; done\n");
        QVERIFY(QFile::setPermissions(fake, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        for (const bool again : {false, true}) {
            QFile::remove(place.filePath("begun"));
            QProcess bash;
            bash.setWorkingDirectory(place.path());
            bash.setEnvironment({"PATH=" + place.path() + ":" + qEnvironmentVariable("PATH"), "SLURM_JOB_ID=7",
                                 QString("SLURM_RESTART_COUNT=%1").arg(again ? 1 : 0)});
            bash.start("bash", {script, "default"});
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(place.filePath("begun")), 60'000);
            QProcess::execute("kill", {"-INT", QString::number(bash.processId())});
            QVERIFY(bash.waitForFinished(patience));
            QVERIFY2(bash.exitCode() == 0, bash.readAllStandardError());
            const QStringList said = textOf(place.filePath("said")).split('\n');
            QVERIFY(said.contains("stopped") && said.contains("--slurm"));
            QCOMPARE(said.contains("--resume"), again);
        }
        QVERIFY(QFile::exists(place.filePath("shardlab-7-before-restart-1.shardlab")));
    }

    void theJobForKubernetesHasItsShape() {
        QProcess python;
        python.start("python3", {"-c", "import yaml, jsonschema"});
        if (!python.waitForFinished(patience) || python.exitCode() != 0) QSKIP("python3 has no yaml or no jsonschema");
        python.start("python3", {"-c", judge, folder + "mpijob.yaml"});
        QVERIFY(python.waitForFinished(patience));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError());
        const QJsonObject job = QJsonDocument::fromJson(python.readAllStandardOutput()).object();
        QStringList command;
        for (const QVariant& word : job["command"].toVariant().toList()) command << word.toString();
        QCOMPARE(command.first(3), (QStringList{"shardlab", "run", "default"}));
        const QByteArray help = run({"run", "--help"}).out;
        for (const QString& option : optionsOfRun(command.join(' ')))
            QVERIFY2(help.contains(option.toUtf8()), qPrintable(option));
        const QJsonArray presets = QJsonDocument::fromJson(run({"layouts", "--json"}).out).array();
        for (const QJsonValue preset : presets)
            if (preset["name"] == "default") QCOMPARE(preset["ranks"].toInt(), job["slots"].toInt());
    }
};

QTEST_GUILESS_MAIN(ClusterExamplesTest)
#include "cluster_examples_test.moc"
