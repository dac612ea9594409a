// SPDX-License-Identifier: Apache-2.0
// What the cells of published runs say of links, in the words of their sources: "4 x 100Gb RoCE per node", "NVLink 450
// GB/s". A text that states no rate says nothing.
#pragma once

#include <string_view>

namespace shardlab::predict {

/// Gbit/s of the network for each device of a host that has so many. A rate is that of the host unless the text says
/// "GPU", and counts as often as a number before an "x" says; bytes are told from bits by their large B. A generation
/// with a number of links ("8x HDR") stands for its rate. 0: the text states none.
double networkOf(std::string_view text, int devicesOnHost);

/// GB/s within a host in one direction, of a device whose own link has so many. Makers add up both directions: a rate
/// beyond the device's own, or one that the text calls bidirectional, counts half. 0: the text states none.
double nodeLinkOf(std::string_view text, double ownRate);

}  // namespace shardlab::predict
