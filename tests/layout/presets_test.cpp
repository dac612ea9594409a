// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>
#include <set>

using namespace shardlab::test;

class PresetsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPresetIsLegal() {
        const auto all = presets();
        QVERIFY2(all.has_value(), all ? "" : all.error().text().c_str());
        QVERIFY(all->size() >= 8);
        std::set<std::string> names;
        std::map<std::string, std::vector<std::string>> families;
        for (const Preset& preset : *all) {
            QVERIFY2(names.insert(preset.name).second, preset.name.c_str());
            QVERIFY(!preset.summary.empty());
            families[preset.family].push_back(preset.name);
            const auto faults = check(preset.layout, scheduleMethods());
            QVERIFY2(faults.empty(), (preset.name + ": " + toText(faults)).c_str());
        }
        QVERIFY2(!families.contains("Others"), "a preset of the index names no family");
        // What is listed together has to be taken in at a glance.
        for (const auto& [family, members] : families)
            QVERIFY2(members.size() >= 2 && members.size() <= 16, family.c_str());
    }

    void everyFileIsInTheIndex() {
        std::set<std::string> listed;
        const auto all = presets();
        for (const Preset& preset : *all) listed.insert(preset.name + ".layout.json");
        for (const auto& entry : std::filesystem::directory_iterator(SHARDLAB_SOURCE_DIR "/resources/presets"))
            if (entry.path().filename() != "index.json")
                QVERIFY2(listed.contains(entry.path().filename()), entry.path().c_str());
    }

    void defaultPresetIsTheDefaultLayoutPaced() {
        const auto preset = findPreset("default");
        QVERIFY(preset.has_value());
        Layout layout = preset->layout;
        QVERIFY(layout.cluster.pace.has_value());
        layout.cluster.pace.reset();
        layout.name = Layout{}.name;
        QCOMPARE(layout, Layout{});
        QVERIFY(check(Layout{}, scheduleMethods()).empty());
    }

    void unknownPresetNamesTheNearest() {
        const auto preset = findPreset("gpt2-125m");
        QVERIFY(!preset);
        QVERIFY2(preset.error().text().find("did you mean gpt2-124m") != std::string::npos,
                 preset.error().text().c_str());
    }

    void devicesAreSane() {
        QVERIFY(devicePresets().size() >= 5);
        for (const char* name : {"cpu", "a100-sxm", "h100-sxm", "h200", "b200"}) {
            const DevicePreset* device = findDevice(name);
            QVERIFY2(device != nullptr, name);
            QVERIFY(device->fp32Flops > 0 && device->bf16Flops >= device->fp32Flops);
            QVERIFY(device->matmulEfficiency > 0 && device->matmulEfficiency <= 1);
            QVERIFY(device->memoryBandwidth > device->inNode.bandwidth);
            QVERIFY(device->inNode.bandwidth > device->betweenNodes.bandwidth);
            QVERIFY(device->memoryBytes > 0 && device->inNode.latency > 0);
        }
        QVERIFY(findDevice("abacus") == nullptr);
    }
};

QTEST_GUILESS_MAIN(PresetsTest)
#include "presets_test.moc"
