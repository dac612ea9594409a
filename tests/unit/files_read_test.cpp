// SPDX-License-Identifier: Apache-2.0
// The files that a layout names are looked for before any rank starts, and what is missing is said by its field.
#include "engine/launch/job/files_read.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;

class FilesReadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsMissingIsNamedByItsField_data();
    void whatIsMissingIsNamedByItsField();
    void whatIsThereOrUnusedIsNoFault();
    void allAreSaidAtOnce();

private:
    QString at(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
    QTemporaryDir folder_;
};

void FilesReadTest::whatIsMissingIsNamedByItsField_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("said");
    QTest::newRow("text") << "text" << "/data/path: the text cannot be read: there is no %1. Legal: the path of a UTF-8 file, or data.kind generator";
    QTest::newRow("folder as text") << "folder" << "/data/path: the text cannot be read: %1 is a folder. Legal: ";
    QTest::newRow("tokens") << "tokens" << "/data/path: the tokens cannot be read: there is no %1. Legal: ";
    QTest::newRow("tokenizer") << "tokenizer" << "/data/tokenizer_path: the tokenizer cannot be read: there is no %1. Legal: ";
    QTest::newRow("weights") << "weights" << "/model/weights: the weights cannot be read: there is no %1. Legal: ";
}

void FilesReadTest::whatIsMissingIsNamedByItsField() {
    QFETCH(QString, kind);
    QFETCH(QString, said);
    const QString path = kind == "folder" ? folder_.path() : at("nowhere");
    Layout layout;
    if (kind == "weights") {
        layout.model.weights = path.toStdString();
    } else if (kind == "tokenizer") {
        layout.data.tokenizer = "gpt2";
        layout.data.tokenizerPath = path.toStdString();
    } else {
        layout.data.kind = kind == "folder" ? "text" : kind.toStdString();
        layout.data.path = path.toStdString();
    }
    const Status there = canReadFiles(layout, false);
    QVERIFY(!there);
    const QString error = QString::fromStdString(there.error().text());
    QVERIFY2(error.contains(said.arg(path)) && !error.contains('\n'), qPrintable(error));
    // The ranks on a machine that cannot be asked here are nobody's fault here.
    layout.cluster.hosts = {{"203.0.113.7", 4}};
    QVERIFY(canReadFiles(layout, false));
}

void FilesReadTest::whatIsThereOrUnusedIsNoFault() {
    QVERIFY(canReadFiles(Layout{}, false));
    Layout layout;
    layout.data.path = at("nowhere").toStdString();  // of another kind of data
    QVERIFY(canReadFiles(layout, false));
    layout.data.kind = "text";
    layout.data.path = at("text").toStdString();
    QFile text(at("text"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    QVERIFY(canReadFiles(layout, false));
    layout.data.kind = "tokens";
    layout.data.path = folder_.path().toStdString();
    QVERIFY(canReadFiles(layout, false));
    layout.model.weights = at("nowhere").toStdString();  // a checkpoint has its own
    QVERIFY(canReadFiles(layout, true));
}

void FilesReadTest::allAreSaidAtOnce() {
    Layout layout;
    layout.data = {"text", at("a").toStdString(), "gpt2", 0.1};
    layout.data.tokenizerPath = at("b").toStdString();
    layout.model.weights = at("c").toStdString();
    const Status there = canReadFiles(layout, false);
    QVERIFY(!there);
    for (const char* pointer : {"/data/path", "/data/tokenizer_path", "/model/weights"})
        QVERIFY(there.error().text().find(pointer) != std::string::npos);
}

QTEST_GUILESS_MAIN(FilesReadTest)
#include "files_read_test.moc"
