// SPDX-License-Identifier: Apache-2.0
// Each operation in the list (kernels/operations.h) reaches the device behind a forwarding device with the arguments
// that were given, and a metered device counts it. The devices of this test name no operation: they get them from the
// list.
#include "kernels/metered_device.h"
#include "tests/support/wings.h"

#include <QtTest>

using namespace shardlab::test;

namespace {

template <auto operation>
constexpr char tagOf = 0;  ///< its address tells operations apart

/// One operation that a device was asked for.
struct Noted {
    const void* operation = nullptr;
    QStringList arguments;
    bool operator==(const Noted&) const = default;
};

QString addressText(const void* address) { return QString::number(reinterpret_cast<quintptr>(address), 16); }

/// What makes an argument the one that was given: a value's contents, and a reference's address.
template <class T>
QString argumentText(const T& argument) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) return QString::number(static_cast<double>(argument));
    else if constexpr (std::is_pointer_v<T>) return addressText(argument);
    else if constexpr (std::is_same_v<T, Matrix>)
        return argumentText(argument.data) + '/' + QString::number(argument.stride);
    else if constexpr (std::is_convertible_v<T, ConstArray>)
        return addressText(argument.data) + ':' + QString::number(static_cast<int>(argument.type));
    else if constexpr (std::is_same_v<T, GateFunction>)
        return QStringLiteral("%1/%2").arg(argument.limit).arg(argument.alpha);
    else if constexpr (requires { argument.size(); })
        return addressText(argument.data()) + '+' + QString::number(argument.size());
    else return addressText(&argument);
}

constexpr double answer = 42;

/// Writes down what it is asked for, and computes nothing.
class NotingDevice final : public ForwardingDevice<NotingDevice> {
public:
    std::vector<Noted> noted;

    std::string name() const override { return "noting"; }
    void* allocate(std::size_t) override { return nullptr; }
    void release(void*) override {}
    bool onHost() const override { return true; }
    void upload(const void*, void*, std::size_t) override {}
    void download(const void*, void*, std::size_t) override {}
    void copy(const void*, void*, std::size_t) override {}
    void clear(void*, std::size_t) override {}
    void synchronize() override {}
    void* allocateStaging(std::size_t) override { return nullptr; }
    void releaseStaging(void*) override {}
    AttentionNeeds attentionNeeds(const AttentionShape&, DType, bool) const override { return {}; }
    std::size_t attentionBlockScratch(int, int) const override { return 0; }

private:
    friend class ForwardingDevice<NotingDevice>;
    Device& inner() const { qFatal("nothing is behind this device"); }
    template <auto operation, class... Arguments>
    OperationResult<operation> forward(const auto&, Arguments&... arguments) {
        noted.push_back({&tagOf<operation>, {argumentText(arguments)...}});
        return OperationResult<operation>(answer);
    }
};

alignas(64) std::byte memory[64 * 16];

/// An argument that differs from those of other numbers. Nothing is read from its addresses.
template <class T, std::size_t number>
T& argumentOf() {
    static T argument = [] {
        if constexpr (std::is_same_v<T, GateFunction>) return GateFunction(number + 2, number + 3);
        else return T{};
    }();
    void* const place = memory + 64 * number;
    const auto fill = [&]<class Value>(Value& value) {
        if constexpr (std::is_same_v<Value, ConstArray> || std::is_same_v<Value, Array>) value = {place, DType::BF16};
        else if constexpr (std::is_pointer_v<Value>) value = static_cast<Value>(place);
    };
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) argument = static_cast<T>(number + 2);
    else if constexpr (std::is_same_v<T, Matrix>) argument = {{place, DType::BF16}, static_cast<int>(number), false};
    else fill(argument);
    if constexpr (requires {
                      argument.rows;
                      argument.columns;
                  })
        argument.rows = argument.columns = 3;
    if constexpr (requires {
                      typename T::element_type;
                      argument.subspan(0);
                  }) {
        static std::remove_const_t<typename T::element_type> part{};
        if constexpr (requires { part.count; }) part.count = 5;
        else part.columns = 5;
        std::apply([&](auto&... places) { (fill(places), ...); }, part.memory());
        argument = {&part, 1};
    }
    return argument;
}

template <auto operation, std::size_t index>
auto& argumentFor() {
    return argumentOf<std::remove_cvref_t<OperationParameter<operation, index>>, index>();
}

KernelUse all(const MeteredDevice& meter) {
    KernelUse sum;
    for (std::size_t kind = 0; kind < kernelKinds; ++kind) {
        const KernelUse& use = meter.use(static_cast<KernelKind>(kind));
        sum.calls += use.calls;
        sum.seconds += use.seconds;
        sum.bytes += use.bytes;
    }
    return sum;
}

double seconds = 0;
double ticking() { return ++seconds; }

template <auto operation, std::size_t... index>
void checkOperation(std::index_sequence<index...>) {
    NotingDevice noting;
    MeteredDevice meter(noting);
    meter.start(ticking);
    const auto callsAnswer = [](Device& device) {
        if constexpr (std::is_void_v<OperationResult<operation>>) {
            (device.*operation)(argumentFor<operation, index>()...);
            return true;
        } else {
            return (device.*operation)(argumentFor<operation, index>()...) == answer;
        }
    };
    const Noted wanted{&tagOf<operation>, {argumentText(argumentFor<operation, index>())...}};
    QVERIFY(callsAnswer(noting));
    QVERIFY(callsAnswer(meter));
    QCOMPARE(noting.noted.size(), std::size_t{2});
    QCOMPARE(noting.noted.front().arguments, wanted.arguments);
    QCOMPARE(noting.noted.back().arguments, wanted.arguments);
    QVERIFY(noting.noted.front() == wanted && noting.noted.back() == wanted);
    QCOMPARE(all(meter).calls, 1);
    QCOMPARE(all(meter).seconds, 1.0);
    QVERIFY2(all(meter).bytes > 0, "each operation reads or writes memory");
}

using Check = void (*)();

}  // namespace

class OperationListTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachIsForwardedAndMetered_data() {
        QTest::addColumn<Check>("check");
#define ADD_OPERATION(group, name, parameters)                                                                         \
    QTest::addRow("%s", #name) << +[] { checkOperation<&group::name>(std::make_index_sequence<parameters>()); };
        SHARDLAB_OPERATIONS(ADD_OPERATION)
#undef ADD_OPERATION
    }
    void eachIsForwardedAndMetered() {
        QFETCH(Check, check);
        check();
    }
};

QTEST_GUILESS_MAIN(OperationListTest)
#include "operation_list_test.moc"
