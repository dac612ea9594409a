// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/mpi/mpi_session.h"

#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/backoff.h"
#include "engine/train/comm/message_communicator.h"
#include "engine/train/comm/mpi/mpi_progress.h"

#include <algorithm>
#include <array>
#include <mpi.h>
#include <string>

namespace shardlab::train {

namespace {

void requireSuccess(int code, const std::string& what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw CommunicationError(what + ": " + std::string(text, static_cast<std::size_t>(length)));
}

class MpiRequest final : public Request {
public:
    /// The caller holds the lock of `progress`.
    MpiRequest(std::shared_ptr<MpiProgress> progress, std::vector<MPI_Request> parts, bool oversubscribed,
               std::string what)
        : progress_(std::move(progress)), parts_(std::move(parts)), oversubscribed_(oversubscribed),
          what_(std::move(what)) {
        progress_->started();
    }

    bool test() override {
        if (parts_.empty()) return true;
        int done = 0;
        const auto held = progress_->lock();
        requireSuccess(MPI_Testall(static_cast<int>(parts_.size()), parts_.data(), &done, MPI_STATUSES_IGNORE), what_);
        if (done) {
            parts_.clear();
            progress_->finished();
        }
        return done != 0;
    }

    void wait() override {
        for (Backoff idle(oversubscribed_); !test();) idle.pause();
    }

private:
    std::shared_ptr<MpiProgress> progress_;
    std::vector<MPI_Request> parts_;
    bool oversubscribed_;
    std::string what_;
};

class MpiCommunicator final : public MessageCommunicator {
public:
    /// Collective over `members`; makes two copies of that communicator, one for each channel.
    MpiCommunicator(MPI_Comm members, const MpiOptions& options, std::shared_ptr<MpiProgress> progress)
        : options_(options), progress_(std::move(progress)) {
        const auto held = progress_->lock();
        for (MPI_Comm& channel : channels_) {
            requireSuccess(MPI_Comm_dup(members, &channel), "making a group of ranks");
            MPI_Comm_set_errhandler(channel, MPI_ERRORS_RETURN);
        }
        MPI_Comm_rank(channels_[0], &rank_);
        MPI_Comm_size(channels_[0], &size_);
    }

    ~MpiCommunicator() override {
        int ended = 0;
        MPI_Finalized(&ended);
        if (ended) return;
        const auto held = progress_->lock();
        for (MPI_Comm& channel : channels_) MPI_Comm_free(&channel);
    }

    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Communicator> group(std::span<const int> members) override {
        int world = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &world);
        const auto mine = std::find(members.begin(), members.end(), world);
        if (mine == members.end())
            throw CommunicationError("rank " + std::to_string(world) + " is not in the group it asks for");
        MPI_Comm part = MPI_COMM_NULL;
        {
            const auto held = progress_->lock();
            const int order = static_cast<int>(mine - members.begin());
            requireSuccess(MPI_Comm_split(channels_[0], members.front(), order, &part), "making a group of ranks");
        }
        auto made = std::make_unique<MpiCommunicator>(part, options_, progress_);
        const auto held = progress_->lock();
        MPI_Comm_free(&part);
        return made;
    }

protected:
    RequestPtr post(Channel channel, std::span<const std::byte> data, int peer, int tag) override {
        return inParts(
            data,
            [&](const std::byte* begin, int bytes, MPI_Request* request) {
                return MPI_Isend(begin, bytes, MPI_BYTE, peer, tag, comm(channel), request);
            },
            "sending to", peer, tag);
    }

    RequestPtr expect(Channel channel, std::span<std::byte> data, int peer, int tag) override {
        return inParts(
            data,
            [&](std::byte* begin, int bytes, MPI_Request* request) {
                return MPI_Irecv(begin, bytes, MPI_BYTE, peer, tag, comm(channel), request);
            },
            "receiving from", peer, tag);
    }

private:
    MPI_Comm comm(Channel channel) const { return channels_[static_cast<std::size_t>(channel)]; }

    /// Both ends know the size, so that both cut the message alike; an empty message is one empty part.
    template <class Byte, class Start>
    RequestPtr inParts(std::span<Byte> data, Start start, const char* verb, int peer, int tag) {
        std::string what =
            std::string(verb) + " rank " + std::to_string(peer) + " of its group, tag " + std::to_string(tag);
        std::vector<MPI_Request> parts;
        std::size_t begin = 0;
        const auto held = progress_->lock();
        do {
            const std::size_t bytes = std::min(options_.largestMessage, data.size() - begin);
            parts.push_back(MPI_REQUEST_NULL);
            requireSuccess(start(data.data() + begin, static_cast<int>(bytes), &parts.back()), what);
            begin += bytes;
        } while (begin < data.size());
        return std::make_unique<MpiRequest>(progress_, std::move(parts), options_.oversubscribed, std::move(what));
    }

    MpiOptions options_;
    std::shared_ptr<MpiProgress> progress_;
    std::array<MPI_Comm, 2> channels_{};
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
    int provided = 0;
    requireSuccess(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), "starting MPI");
    if (provided < MPI_THREAD_SERIALIZED)
        throw CommunicationError("starting MPI: the library was built without threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

MpiSession::~MpiSession() { MPI_Finalize(); }

int MpiSession::rank() const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int MpiSession::size() const {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int MpiSession::localRank() const {
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int rank = 0;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

std::unique_ptr<Communicator> MpiSession::world(const MpiOptions& options) const {
    return std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, options, std::make_shared<MpiProgress>());
}

}  // namespace shardlab::train
