// SPDX-License-Identifier: Apache-2.0
// The safetensors format: there and back, against the Python package, and what mutations of a file do.
#include "engine/trace/checkpoint/safetensors.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstring>

using namespace shardlab::test;

namespace {

constexpr TensorType all[] = {TensorType::F64, TensorType::F32, TensorType::F16, TensorType::BF16, TensorType::I64,
                              TensorType::I32, TensorType::I16, TensorType::I8,  TensorType::U8,   TensorType::Bool};

SafetensorsHeader randomHeader(QRandomGenerator& random) {
    SafetensorsHeader header;
    if (random.bounded(2)) header.metadata["format"] = "pt";
    const int count = random.bounded(0, 6);
    for (int i = 0; i < count; ++i) {
        TensorEntry tensor;
        tensor.name = "tensor \"" + std::to_string(i) + "\" ä";
        tensor.type = all[random.bounded(10)];
        tensor.begin = tensor.end = header.dataBytes();
        std::uint64_t elements = 1;
        for (int rank = random.bounded(0, 4); rank > 0; --rank) {
            tensor.shape.push_back(random.bounded(0, 5));
            elements *= std::uint64_t(tensor.shape.back());
        }
        tensor.end += elements * std::uint64_t(bytesOf(tensor.type));
        header.tensors.push_back(tensor);
    }
    return header;
}

std::string fileOf(const SafetensorsHeader& header) {
    return writeHeader(header) + std::string(header.dataBytes(), 'x');
}

std::string headerText(const std::string& json) {
    std::string text(8, '\0');
    const std::uint64_t length = json.size();
    std::memcpy(text.data(), &length, 8);
    return text + json;
}

}  // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT

private:
    QString put(const std::string& content) const {
        QFile file(folder_.filePath("file.safetensors"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(content.data(), qint64(content.size()));
        return file.fileName();
    }
    Result<SafetensorsFile> opened(const std::string& content) const {
        DiskFileSystem files;
        return SafetensorsFile::open(files, put(content).toStdString());
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void thereAndBack() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int i = 0; i < 300; ++i) {
            const SafetensorsHeader header = randomHeader(random);
            const std::string front = writeHeader(header);
            QCOMPARE(front.size() % 8, std::size_t{0});
            const auto file = opened(fileOf(header));
            QVERIFY2(file.has_value(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(file ? "" : file.error().text().c_str())));
            QCOMPARE(file->header().metadata, header.metadata);
            QCOMPARE(file->header().tensors.size(), header.tensors.size());
            QCOMPARE(file->fileBytes(), front.size() + header.dataBytes());
            for (const TensorEntry& wanted : header.tensors) {
                const auto got = std::ranges::find(file->header().tensors, wanted.name, &TensorEntry::name);
                QVERIFY(got != file->header().tensors.end());
                QVERIFY(got->type == wanted.type && got->shape == wanted.shape && got->begin == wanted.begin &&
                        got->end == wanted.end);
            }
        }
    }

    /// Whatever is done to a file, it is refused or read within its bounds.
    void mutationsAreRefusedOrHarmless() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        int refused = 0;
        for (int i = 0; i < 5000; ++i) {
            std::string content = fileOf(randomHeader(random));
            for (int times = random.bounded(1, 4); times > 0 && !content.empty(); --times) {
                const auto at = std::size_t(random.bounded(int(std::min<std::size_t>(content.size(), 300))));
                switch (random.bounded(6)) {
                case 0: content[at] = char(random.bounded(256)); break;
                case 1: content.erase(at, std::size_t(random.bounded(1, 9))); break;
                case 2:
                    content.insert(at, std::string(std::size_t(random.bounded(1, 9)), char(random.bounded(256))));
                    break;
                case 3: content.resize(at); break;
                case 4: content.insert(at, content.substr(at / 2, 20)); break;
                default: content.replace(at, 1, std::to_string(random.generate64()));
                }
            }
            const auto file = opened(content);
            if (!file) {
                ++refused;
                QVERIFY(!file.error().why.empty() && file.error().where.english().ends_with("file.safetensors"));
                continue;
            }
            QCOMPARE(file->fileBytes(), std::uint64_t(content.size()));
            for (const TensorEntry& tensor : file->header().tensors) {
                std::vector<std::byte> bytes(tensor.bytes());
                QVERIFY(file->read(tensor, 0, bytes).has_value());
            }
        }
        QVERIFY2(refused > 2500, qPrintable(QString::number(refused)));
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("says");
        QTest::newRow("no object") << "[1, 2]"
                                   << "no JSON object";
        QTest::newRow("no JSON") << "{\"a\": "
                                 << "no JSON";
        QTest::newRow("type") << R"({"a": {"dtype": "F31", "shape": [1], "data_offsets": [0, 4]}})"
                              << "unknown dtype";
        QTest::newRow("shape") << R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})"
                               << "whole numbers";
        QTest::newRow("overflow")
            << R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]}})"
            << "beyond counting";
        QTest::newRow("size") << R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})"
                              << "do not fit its shape";
        QTest::newRow("gap") << R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})"
                             << "leaves a gap";
        QTest::newRow("overlap")
            << R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "b": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}})"
            << "overlaps";
        QTest::newRow("short") << R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}})"
                               << "8 B follow";
        QTest::newRow("twice")
            << R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})"
            << "twice";
        QTest::newRow("metadata") << R"({"__metadata__": {"a": 1}})"
                                  << "else than text";
    }
    void whatIsWrongIsSaid() {
        QFETCH(QString, header);
        QFETCH(QString, says);
        const auto file = opened(headerText(header.toStdString()) + std::string(8, 'x'));
        QVERIFY(!file);
        QVERIFY2(file.error().text().find(says.toStdString()) != std::string::npos, file.error().text().c_str());
    }

    void halvesAreWidenedExactly() {
        SafetensorsHeader header;
        header.tensors = {{"half", TensorType::F16, {5}, 0, 10}, {"brain", TensorType::BF16, {3}, 10, 16}};
        const std::uint16_t values[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000, 0x3f80, 0xc0a0, 0x0001};
        const auto file =
            opened(writeHeader(header) + std::string(reinterpret_cast<const char*>(values), sizeof values));
        QVERIFY(file.has_value());
        QVERIFY((*file->readFloats(file->header().tensors[0]) == std::vector<float>{1, -2, 0x1p-24f, 65504, 0}));
        QVERIFY((*file->readFloats(file->header().tensors[1]) == std::vector<float>{1, -5, 0x1p-133f}));
    }

    void pythonReadsOursAndWeReadPythons() {
        const QString python = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));
        if (QProcess::execute(python, {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('safetensors') is "
                                             "None or u.find_spec('numpy') is None)"}))
            QSKIP("no safetensors and numpy for python3 (or SHARDLAB_TORCH_PYTHON): the comparison is left out");
        SafetensorsHeader header;
        header.metadata["made by"] = "ä test";
        header.tensors = {{"a", TensorType::F32, {2, 3}, 0, 24},
                          {"b c", TensorType::I16, {2}, 24, 28},
                          {"none", TensorType::F32, {0}, 28, 28}};
        const float floats[] = {1, 2.5f, -3, 4, 5e-20f, 6};
        const std::int16_t shorts[] = {-7, 300};
        const QString ours = put(writeHeader(header) + std::string(reinterpret_cast<const char*>(floats), 24) +
                                 std::string(reinterpret_cast<const char*>(shorts), 4));
        const char* script = R"(
import sys, numpy
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
loaded = load_file(sys.argv[1])
assert set(loaded) == {'a', 'b c', 'none'}, loaded
assert loaded['a'].dtype == numpy.float32 and loaded['a'].tolist() == [[1, 2.5, -3], [4, float(numpy.float32(5e-20)), 6]]
assert loaded['b c'].tolist() == [-7, 300] and loaded['none'].shape == (0,)
assert safe_open(sys.argv[1], 'np').metadata() == {'made by': 'ä test'}
save_file({'x': numpy.arange(12, dtype=numpy.float32).reshape(3, 4), 'y': numpy.array([1.5], dtype=numpy.float16)}, sys.argv[2])
)";
        const QString theirs = folder_.filePath("theirs.safetensors");
        QCOMPARE(QProcess::execute(python, {"-c", script, ours, theirs}), 0);
        DiskFileSystem files;
        const auto file = SafetensorsFile::open(files, theirs.toStdString());
        QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
        QCOMPARE(file->header().tensors.size(), std::size_t{2});
        for (const TensorEntry& tensor : file->header().tensors) {
            const auto values = file->readFloats(tensor);
            QVERIFY(values.has_value());
            if (tensor.name == "y") QVERIFY(*values == std::vector<float>{1.5f});
            else
                for (int i = 0; i < 12; ++i) QCOMPARE((*values)[std::size_t(i)], float(i));
        }
    }
};

QTEST_GUILESS_MAIN(SafetensorsTest)
#include "safetensors_test.moc"
