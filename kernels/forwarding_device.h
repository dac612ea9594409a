// SPDX-License-Identifier: Apache-2.0
// The base of devices that hand each operation on to another device. It is made from the list of operations, so that
// such a device says once what happens on the way, and gets each new operation by itself.
#pragma once

#include "kernels/device.h"

namespace shardlab::kernels {

// The parameters of an operation, and their names: as many as its row in the list says.
#define SHARDLAB_PARAMETERS_1(operation) OperationParameter<operation, 0> a0
#define SHARDLAB_PARAMETERS_2(operation) SHARDLAB_PARAMETERS_1(operation), OperationParameter<operation, 1> a1
#define SHARDLAB_PARAMETERS_3(operation) SHARDLAB_PARAMETERS_2(operation), OperationParameter<operation, 2> a2
#define SHARDLAB_PARAMETERS_4(operation) SHARDLAB_PARAMETERS_3(operation), OperationParameter<operation, 3> a3
#define SHARDLAB_PARAMETERS_5(operation) SHARDLAB_PARAMETERS_4(operation), OperationParameter<operation, 4> a4
#define SHARDLAB_PARAMETERS_6(operation) SHARDLAB_PARAMETERS_5(operation), OperationParameter<operation, 5> a5
#define SHARDLAB_PARAMETERS_7(operation) SHARDLAB_PARAMETERS_6(operation), OperationParameter<operation, 6> a6
#define SHARDLAB_PARAMETERS_8(operation) SHARDLAB_PARAMETERS_7(operation), OperationParameter<operation, 7> a7
#define SHARDLAB_PARAMETERS_9(operation) SHARDLAB_PARAMETERS_8(operation), OperationParameter<operation, 8> a8
#define SHARDLAB_PARAMETERS_10(operation) SHARDLAB_PARAMETERS_9(operation), OperationParameter<operation, 9> a9
#define SHARDLAB_PARAMETERS_11(operation) SHARDLAB_PARAMETERS_10(operation), OperationParameter<operation, 10> a10
#define SHARDLAB_NAMES_1 a0
#define SHARDLAB_NAMES_2 SHARDLAB_NAMES_1, a1
#define SHARDLAB_NAMES_3 SHARDLAB_NAMES_2, a2
#define SHARDLAB_NAMES_4 SHARDLAB_NAMES_3, a3
#define SHARDLAB_NAMES_5 SHARDLAB_NAMES_4, a4
#define SHARDLAB_NAMES_6 SHARDLAB_NAMES_5, a5
#define SHARDLAB_NAMES_7 SHARDLAB_NAMES_6, a6
#define SHARDLAB_NAMES_8 SHARDLAB_NAMES_7, a7
#define SHARDLAB_NAMES_9 SHARDLAB_NAMES_8, a8
#define SHARDLAB_NAMES_10 SHARDLAB_NAMES_9, a9
#define SHARDLAB_NAMES_11 SHARDLAB_NAMES_10, a10

/// Defines an operation as self().forward<&group::name>(arguments…), where a function that comes before the arguments
/// says what work they make for a device: (device, arguments…) → KernelWork.
#define SHARDLAB_FORWARD_OPERATION(group, name, parameters)                                                            \
    OperationResult<&group::name> name(SHARDLAB_PARAMETERS_##parameters(&group::name)) override {                      \
        return self().template forward<&group::name>(                                                                  \
            [](const Device& device, const auto&... arguments) { return device.name##Work(arguments...); },            \
            SHARDLAB_NAMES_##parameters);                                                                              \
    }

/// `Self` derives from it and has
///   Device& inner() const;                                  ///< which carries the calls out
///   template <auto operation, class... Arguments>
///   OperationResult<operation> forward(const auto& workOn, const Arguments&... arguments);
template <class Self>
class ForwardingDevice : public Device {
public:
    SHARDLAB_OPERATIONS(SHARDLAB_FORWARD_OPERATION)

    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override {
        return self().inner().attentionNeeds(shape, type, drops);
    }
    std::size_t attentionBlockScratch(int rows, int width) const override {
        return self().inner().attentionBlockScratch(rows, width);
    }

private:
    Self& self() { return static_cast<Self&>(*this); }
    const Self& self() const { return static_cast<const Self&>(*this); }
};

#undef SHARDLAB_FORWARD_OPERATION

}  // namespace shardlab::kernels
