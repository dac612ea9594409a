// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_fields.h"
#include "engine/launch/job/forwarder_setup.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <limits>
#include <nlohmann/json.hpp>

using namespace shardlab::test;
using Json = nlohmann::ordered_json;

class JsonFieldsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onlyWholeNumbersThatFitAreTaken_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("asByte");
        QTest::addColumn<bool>("asInt");
        QTest::addColumn<bool>("asLong");
        const auto row = [](const char* text, bool asByte, bool asInt, bool asLong) {
            QTest::newRow(text) << QByteArray(text) << asByte << asInt << asLong;
        };
        row("0", true, true, true);
        row("-0", true, true, true);
        row("255", true, true, true);
        row("256", false, true, true);
        row("-1", false, true, true);
        row("2147483647", false, true, true);
        row("2147483648", false, false, true);
        row("-2147483649", false, false, true);
        row("-9223372036854775808", false, false, true);
        row("9223372036854775808", false, false, false);
        row("18446744073709551615", false, false, false);
        row("18446744073709551616", false, false, false);  // the parser makes it a double
        row("4444444444.4444", false, false, false);
        row("1e300", false, false, false);
        row("1.0", false, false, false);
        row("true", false, false, false);
        row("\"1\"", false, false, false);
        row("null", false, false, false);
        row("[1]", false, false, false);
    }
    void onlyWholeNumbersThatFitAreTaken() {
        QFETCH(QByteArray, text);
        QFETCH(bool, asByte);
        QFETCH(bool, asInt);
        QFETCH(bool, asLong);
        const Json value = Json::parse(text.toStdString());
        QCOMPARE(wholeNumber<std::uint8_t>(value).has_value(), asByte);
        QCOMPARE(wholeNumber<int>(value).has_value(), asInt);
        QCOMPARE(wholeNumber<std::int64_t>(value).has_value(), asLong);
        if (asLong) QCOMPARE(*wholeNumber<std::int64_t>(value), text.toLongLong());
        if (asInt) QCOMPARE(*wholeNumber<int>(value), text.toInt());
    }

    void aFieldOfAnotherTypeLeavesWhatIsThere() {
        const Json object = {{"text", "a"}, {"count", 7}, {"share", 0.5}, {"yes", true}};
        const auto kept = [&](auto value, const char* key) {
            auto target = value;
            take(object, key, target);
            return target == value;
        };
        for (const char* key : {"count", "share", "yes", "none"}) QVERIFY(kept(std::string("before"), key));
        for (const char* key : {"text", "share", "yes", "none"}) QVERIFY(kept(3, key));
        for (const char* key : {"text", "yes", "none"}) QVERIFY(kept(0.25, key));
        for (const char* key : {"text", "count", "share", "none"}) QVERIFY(kept(false, key));
        std::string text;
        int count = 0;
        double share = 0;
        bool yes = false;
        take(object, "text", text);
        take(object, "count", count);
        take(object, "share", share);
        take(object, "yes", yes);
        QVERIFY(text == "a" && count == 7 && share == 0.5 && yes);
        take(object, "count", share);  // whole numbers are numbers
        QCOMPARE(share, 7.0);
    }

    void aForwardersSetupComesBack() {
        ForwarderSetup setup;
        setup.host = static_cast<int>(freshSeed() % 32767);
        setup.firstRank = static_cast<int>(freshSeed() % 32767);
        setup.ranks = static_cast<int>(1 + freshSeed() % 32766);
        setup.token = "secret";
        setup.addresses = {"10.1.0.1:40123", "[fd00::1]:40123"};
        setup.folder = "/tmp/job";
        setup.sharedMemory = "/dev/shm/job";
        const auto read = readSetup(writeSetup(setup));
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->host, setup.host);
        QCOMPARE(read->firstRank, setup.firstRank);
        QCOMPARE(read->ranks, setup.ranks);
        QCOMPARE(read->addresses, setup.addresses);
    }

    void aWrongSetupIsRefused_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        for (const char* key : {"host", "first_rank", "ranks"})
            for (const char* value : {"4444444444.4444", "-1", "1e300", "32768", "\"1\"", "null"})
                QTest::addRow("%s %s", key, value) << QByteArray(key) << QByteArray(value);
        QTest::newRow("no ranks") << QByteArray("ranks") << QByteArray("0");
        QTest::newRow("token") << QByteArray("token") << QByteArray("1");
        QTest::newRow("addresses") << QByteArray("addresses") << QByteArray("[1]");
    }
    void aWrongSetupIsRefused() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        Json setup = Json::parse(writeSetup({}));
        setup[key.toStdString()] = Json::parse(value.toStdString());
        const auto read = readSetup(setup.dump());
        QVERIFY(!read);
        if (key != "token" && key != "addresses")
            QVERIFY2(read.error().text().find(key.toStdString() + " is ") != std::string::npos,
                     read.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(JsonFieldsTest)
#include "json_fields_test.moc"
