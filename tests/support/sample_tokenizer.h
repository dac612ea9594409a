// SPDX-License-Identifier: Apache-2.0
// A small tokenizer in the files of GPT-2.
#pragma once

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <utility>

namespace shardlab::test {

inline void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

/// The 256 bytes as tokens 0 … 255 in the order of the written characters, then `merges`.
inline void writeTokenizer(const QString& folder, const QList<std::pair<QString, QString>>& merges) {
    QJsonObject vocabulary;
    QList<QChar> characters;
    for (int byte = 0; byte < 256; ++byte)
        if ((byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae) characters << QChar(byte);
    for (int next = 0x100; characters.size() < 256; ++next) characters << QChar(next);
    for (int i = 0; i < 256; ++i) vocabulary[QString(characters[i])] = i;
    QString lines = "#version: 0.2\n";
    int next = 256;
    for (const auto& [left, right] : merges) {
        vocabulary[left + right] = next++;
        lines += left + " " + right + "\n";
    }
    write(folder + "/vocab.json", QJsonDocument(vocabulary).toJson());
    write(folder + "/merges.txt", lines.toUtf8());
}

}  // namespace shardlab::test
