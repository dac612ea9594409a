// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file.h"
#include "engine/base/resources.h"
#include "engine/layout/check/check.h"
#include "engine/layout/devices.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace shardlab::test;

namespace {

nlohmann::json a100() { return nlohmann::json::parse(*readFile(resourcesFolder() / "devices" / "a100-sxm.json")); }

const DevicePreset* find(const DeviceList& list, std::string_view name) {
    const auto found = std::ranges::find(list.devices, name, &DevicePreset::name);
    return found == list.devices.end() ? nullptr : &*found;
}

}  // namespace

class DevicesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A user with a device of whose host nothing is known.
    void initTestCase() {
        QVERIFY(qputenv("XDG_CONFIG_HOME", configuration_.path().toUtf8()));
        std::filesystem::create_directories(userDevicesFolder());
        nlohmann::json device = a100();
        device.erase("host");
        std::ofstream(userDevicesFolder() / "hostless.json") << device.dump();
    }

    void makersFigures() {
        struct Figures {
            const char* name;
            double fp32, bf16, memoryBandwidth, memoryBytes, inNode, hostLink, hostMemory;
        };
        // Data sheets: dense, one direction of the links.
        for (const Figures& wanted :
             {Figures{"a100-sxm", 19.5e12, 312e12, 2.039e12, 80 * 1.0737e9, 300e9, 32e9, 8 * 2 * 25.6e9 / 8},
              Figures{"h100-sxm", 67e12, 989e12, 3.35e12, 80 * 1.0737e9, 450e9, 64e9, 8 * 2 * 38.4e9 / 8},
              Figures{"h200", 67e12, 989e12, 4.8e12, 141e9, 450e9, 64e9, 8 * 2 * 38.4e9 / 8},
              Figures{"b200", 75e12, 2.25e15, 7.7e12, 180e9, 900e9, 64e9, 8 * 2 * 44.8e9 / 8},
              Figures{"mi300x", 163.4e12, 1.3074e15, 5.3e12, 192e9, 448e9, 64e9, 8 * 2 * 38.4e9 / 8},
              Figures{"mi355x", 157.3e12, 2.5166e15, 8e12, 288e9, 537.6e9, 64e9, 8 * 2 * 38.4e9 / 8}}) {
            const DevicePreset* device = findDevice(wanted.name);
            QVERIFY(device != nullptr);
            QCOMPARE(device->fp32Flops, wanted.fp32);
            QCOMPARE(device->bf16Flops, wanted.bf16);
            QVERIFY(std::abs(device->memoryBandwidth / wanted.memoryBandwidth - 1) < 0.01);
            // Sold in powers of ten or of two: as the driver tells it.
            QVERIFY(std::abs(double(device->memoryBytes) / wanted.memoryBytes - 1) < 0.08);
            QCOMPARE(device->inNode.bandwidth, wanted.inNode);
            QVERIFY(device->host.has_value());
            QCOMPARE(device->host->link.bandwidth, wanted.hostLink);
            QCOMPARE(device->host->memoryBandwidth, wanted.hostMemory);
            QVERIFY(!device->ofTheUser && !device->source.empty());
        }
        QVERIFY(findDevice("cpu") != nullptr);
    }

    void theUsersOwnAreReadToo() {
        QTemporaryDir folder;
        nlohmann::json mine = a100();
        mine["title"] = "Our cluster";
        mine["in_node"]["latency_seconds"] = 0;
        mine["memory_bandwidth_bytes_per_second"] = 1e12;
        write(folder, "ours.json", mine.dump());
        write(folder, "notes.txt", "no device");
        const DeviceList list = readDevices(resourcesFolder() / "devices", folder.path().toStdString());
        QVERIFY2(list.damaged.empty(), list.damaged.empty() ? "" : list.damaged.front().text().c_str());
        const DevicePreset* device = find(list, "ours");
        QVERIFY(device && device->ofTheUser);
        QCOMPARE(device->title, std::string("Our cluster"));
        QCOMPARE(device->inNode.latency, 0.0);
        QCOMPARE(device->memoryBandwidth, 1e12);
        QVERIFY(std::ranges::is_sorted(list.devices, {}, &DevicePreset::fp32Flops));
        QVERIFY(readDevices(resourcesFolder() / "devices", folder.filePath("none").toStdString()).devices.size() + 1 ==
                list.devices.size());
    }

    /// A file from before there were such figures: only an optimizer on the host needs them.
    void aHostMayBeUnknown() {
        nlohmann::json device = a100();
        device.erase("host");
        const Result<DevicePreset> read = parseDevice("mine", device.dump());
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(!read->host);
        device = a100();
        device["host"].erase("bandwidth_bytes_per_second");
        QVERIFY(parseDevice("mine", device.dump()).error().text().find("/host/bandwidth_bytes_per_second") !=
                std::string::npos);
    }

    void nothingLiesOnAHostThatIsUnknown() {
        for (const char* pointer : {"/memory/offload", "/memory/swap"}) {
            Layout layout;
            if (QString(pointer) == "/memory/swap") layout.memory.swap = SwapKind::Activations;
            else layout.memory.offload = OffloadKind::Optimizer;
            for (const char* device : {"a100-sxm", "hostless"}) {
                layout.cluster.pace = PaceSpec{device, 1};
                const std::vector<Fault> faults = check(layout, scheduleMethods());
                QCOMPARE(faults.size(), std::size_t(findDevice(device)->host ? 0 : 1));
                if (faults.empty()) continue;
                QCOMPARE(faults.front().pointer, std::string(pointer));
                QVERIFY2(toText(faults).find("on the host of hostless") != std::string::npos, toText(faults).c_str());
                QVERIFY2(faults.front().legal.english().find("\"host\" in the file") != std::string::npos,
                         faults.front().legal.english().c_str());
            }
        }
    }

    void whatIsWrongIsSaidOnce_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        const auto changed = [](auto change) {
            nlohmann::json device = a100();
            change(device);
            return QString::fromStdString(device.dump());
        };
        QTest::newRow("no JSON") << "{\"title\": "
                                 << "line 1";
        QTest::newRow("a list") << "[]"
                                << "/: it is no object";
        QTest::newRow("missing") << changed([](auto& d) { d.erase("bf16_flops"); }) << "/bf16_flops: it is missing";
        QTest::newRow("unknown") << changed([](auto& d) { d["fp64_flops"] = 1; })
                                 << "/fp64_flops: device files have no such field";
        QTest::newRow("text") << changed([](auto& d) { d["fp32_flops"] = "fast"; }) << "/fp32_flops: it is no number";
        QTest::newRow("zero") << changed([](auto& d) { d["memory_bytes"] = 0; }) << "/memory_bytes: it is 0";
        QTest::newRow("more memory than can be counted")
            << changed([](auto& d) { d["memory_bytes"] = 2.05556e122; }) << "/memory_bytes: it is 2.05556e+122";
        QTest::newRow("share") << changed([](auto& d) { d["matmul_efficiency"] = 1.5; }) << "at most 1";
        QTest::newRow("negative") << changed([](auto& d) { d["kernel_seconds"] = -1e-6; }) << "seconds, from 0 to 1";
        QTest::newRow("link") << changed([](auto& d) { d["in_node"].erase("latency_seconds"); })
                              << "/in_node/latency_seconds: it is missing";
        QTest::newRow("link's unknown") << changed([](auto& d) { d["between_nodes"]["speed"] = 1; })
                                        << "/between_nodes/speed: device files have no such field";
        QTest::newRow("twice") << "{\"title\": \"a\", \"title\": \"b\"}"
                               << "the key stands twice";
    }
    void whatIsWrongIsSaidOnce() {
        QFETCH(QString, json);
        QFETCH(QString, said);
        QTemporaryDir folder;
        write(folder, "mine.json", json.toStdString());
        const DeviceList list = readDevices(resourcesFolder() / "devices", folder.path().toStdString());
        QVERIFY(!find(list, "mine"));
        QCOMPARE(list.damaged.size(), std::size_t{1});
        const QString text = QString::fromStdString(list.damaged.front().text());
        QVERIFY2(text.contains(said) && text.contains("mine.json"), qPrintable(text));
        QVERIFY2(!text.contains('\n'), qPrintable(text));
    }

    void namesThatComeWithShardlabAreTaken() {
        QTemporaryDir folder;
        write(folder, "h200.json", a100().dump());
        const DeviceList list = readDevices(resourcesFolder() / "devices", folder.path().toStdString());
        QCOMPARE(list.damaged.size(), std::size_t{1});
        QVERIFY(!find(list, "h200")->ofTheUser);
    }

private:
    QTemporaryDir configuration_;

    static void write(const QTemporaryDir& folder, const char* name, const std::string& text) {
        std::ofstream(folder.filePath(name).toStdString()) << text;
    }
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
