// SPDX-License-Identifier: Apache-2.0
// What products in 8 bits cost Shardlab's own engine on a GPU.
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/fp8_costs.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;

class Fp8CostsTest : public QObject {
    Q_OBJECT

    static Layout on(const char* device, ProductFormat products) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 2, 4096, 32, 2048, 50257, 0};
        layout.batch.micro = 4;
        layout.cluster.pace = PaceSpec{device, 1};
        layout.precision.compute = NumberFormat::Bf16;
        layout.precision.products = products;
        return layout;
    }
    static bool isNoted(const Layout& layout) {
        return std::ranges::any_of(fp8Notes(layout), [](const Sentence& note) {
            return note.english().find("read back and multiplied in fp32") != std::string::npos;
        });
    }

private Q_SLOTS:
    /// The scales of each recipe have tensor cores of their own: where a device has none, products are slower than
    /// those of 16 bits, and a note says so.
    void aRecipeIsQuickWhereTensorCoresHaveItsScales_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("products");
        QTest::addColumn<bool>("quick");
        const auto row = [](const char* device, ProductFormat products, bool quick) {
            QTest::addRow("%s %s", device, std::string(wordOf(products)).c_str())
                << device << static_cast<int>(products) << quick;
        };
        for (const ProductFormat products :
             {ProductFormat::Fp8, ProductFormat::Fp8Blocks, ProductFormat::Fp8Rows, ProductFormat::MxFp8}) {
            row("a100-sxm", products, false);
            row("h100-sxm", products, products != ProductFormat::MxFp8);
            row("b200", products, products == ProductFormat::Fp8 || products == ProductFormat::MxFp8);
        }
    }
    void aRecipeIsQuickWhereTensorCoresHaveItsScales() {
        QFETCH(QString, device);
        QFETCH(int, products);
        QFETCH(bool, quick);
        const Layout layout = on(device.toUtf8(), static_cast<ProductFormat>(products));
        const StageShape stage = stageShapes(layout).front();
        const Fp8Seconds more = fp8Seconds(layout, stage, tensorShare(layout), modelledDevice(layout), true);
        QCOMPARE(more.forward < 0, quick);
        QCOMPARE(isNoted(layout), !quick);
    }
};

QTEST_GUILESS_MAIN(Fp8CostsTest)
#include "fp8_costs_test.moc"
