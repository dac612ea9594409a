// SPDX-License-Identifier: Apache-2.0
// A profile: what the parts of a model take on the device they were measured on, and what the links and the runtime
// around them take. Measured by shardlab-rank (train/profile.h), stored as JSON (profile_store.h), used by the cost
// model in place of a device preset (measured_costs.h).
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/kernel_account.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

/// The processor that computes: profiles of one machine are of no use to another.
struct Machine {
    std::string processor;  ///< "AMD EPYC 9654"
    int cores = 1;
    bool operator==(const Machine&) const = default;
};

/// The machine that this process runs on.
Machine thisMachine();

/// One part of a model, for one microbatch. Seconds are those of a core of its own, or of `threads` cores.
struct PartProfile {
    std::string name;  ///< "embedding", "attention", "feed-forward", "convolutions", "output"
    double forward = 0;
    double backward = 0;               ///< input and weight gradient, one straight after the other
    double inputGrad = 0;              ///< on its own, as in a split backward
    double weightGrad = 0;             ///< on its own, as in a split backward
    double optimizer = 0;              ///< one update of its weights
    std::int64_t activationBytes = 0;  ///< what a forward leaves for its backward
    std::int64_t weightBytes = 0;
    bool operator==(const PartProfile&) const = default;
};

/// Consecutive blocks of the model that are alike.
struct BlockProfile {
    int layers = 0;                  ///< how many blocks of the measured model
    std::vector<PartProfile> parts;  ///< of one block, bottom to top: attention and feed-forward of a gpt
    bool operator==(const BlockProfile&) const = default;
};

/// Time of n bytes: seconds + n ÷ bandwidth.
struct LinkProfile {
    double seconds = 0;
    double bandwidth = 0;  ///< bytes per second
    bool operator==(const LinkProfile&) const = default;
};

/// How far repeated measurements of the same thing lie apart; judged in profile_noise.h.
struct Spread {
    std::string what;  ///< that was measured: "forwards", "training steps"
    double share = 0;  ///< interquartile range ÷ median
    bool operator==(const Spread&) const = default;
};

struct Profile {
    static constexpr int currentVersion = 2;

    Machine machine;
    Layout layout;     ///< as it was measured
    int threads = 1;   ///< compute threads of each rank
    std::string date;  ///< of measuring, ISO 8601 in UTC
    PartProfile embedding;
    std::vector<BlockProfile> blocks;  ///< bottom to top
    PartProfile output;                ///< final norm, projection, loss
    LinkProfile send;                  ///< between two ranks, one way
    LinkProfile allReduce;             ///< of two ranks, of the buffer's bytes; the last to come to its end
    double actionSeconds = 0;          ///< what the runtime adds to each action
    KernelAccount kernels;             ///< of the same work; empty in a profile of version 1
    double stepSeconds = 0;            ///< of the layout's own training steps, measured after all this; median
    double predictedStepSeconds = 0;   ///< of the same, from this profile
    std::vector<Spread> spreads;       ///< empty in a profile that was written before noise was judged
    bool operator==(const Profile&) const = default;

    /// |predicted − measured| ÷ measured, of the layout it was measured with.
    double error() const;
};

/// All parts of one block of the model added up. `layer`: of the whole model; where the profiled model had fewer, the
/// last block's.
PartProfile blockProfile(const Profile& profile, int layer);

/// Whether the profile's figures are those of `layout`: machine, device, model but (a cnn apart) for its number of
/// layers, microbatch, precision, optimizer, methods that change what a layer does, and threads of a rank.
bool fits(const Profile& profile, const Layout& layout, const Machine& machine = thisMachine());

/// The layout with all taken out that does not change what a part takes: equal for two layouts that one profile fits.
Layout profiledParts(Layout layout);

/// Two spaces of indent, fields named with their units; the layout as in a layout file. See profile_store.h.
std::string writeProfile(const Profile& profile);
/// Errors: no JSON, a newer version, a field missing, a figure that is no time or no size.
Result<Profile> parseProfile(std::string_view json);

/// Compute threads of each rank of `layout` on a machine with so many cores, at full speed.
int threadsPerRank(int ranks, int cores);

}  // namespace shardlab::predict
