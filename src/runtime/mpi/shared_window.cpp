#include "runtime/mpi/shared_window.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/cache_lines.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard::mpi {

namespace {

/// Lines of each process's segment: of its counts, and of each share.
std::size_t bytes_of(int owner, std::span<const MemoryShare> shares) {
  std::size_t bytes = cache_line;
  for (const MemoryShare& share : shares) {
    if (share.owner == owner) bytes += whole_lines(share.bytes);
  }
  return bytes;
}

/// Segments on pages of their own, so that each lies where its process touches it first.
MPI_Info pages_of_their_own() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  return info;
}

[[noreturn]] void throw_refused(int code, std::size_t bytes) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RunError(fmt::format(
      "MPI has no {} for the processes of this host to share ({}); OpenMPI takes it from /dev/shm, "
      "or from the folder that mpirun --mca osc_sm_backing_directory names",
      human_bytes(static_cast<double>(bytes)),
      std::string_view(text.data(), static_cast<std::size_t>(length))));
}

/// OpenMPI puts segments 8 bytes behind a line. A process's addresses of it are others than
/// another's by whole pages, and so the first line is the same one in each.
std::byte* first_line_of(MPI_Win window, int rank_on_host) {
  MPI_Aint size = 0;
  int unit = 0;
  void* start = nullptr;
  MPI_Win_shared_query(window, rank_on_host, &size, &unit, &start);
  auto* const bytes = static_cast<std::byte*>(start);
  const auto beyond = reinterpret_cast<std::uintptr_t>(bytes) % cache_line;
  return bytes + (cache_line - beyond) % cache_line;
}

}  // namespace

SharedWindow::SharedWindow(MPI_Comm host, const Hosts& hosts, int rank,
                           std::span<const MemoryShare> shares)
    : processes_(hosts.firsts.size()) {
  const std::size_t bytes = bytes_of(rank, shares) + cache_line;
  void* own = nullptr;
  MPI_Info info = pages_of_their_own();
  MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN);
  const int code =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, host, &own, &window_);
  MPI_Comm_set_errhandler(host, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info);
  if (code != MPI_SUCCESS) throw_refused(code, bytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  find_shares(hosts, rank, shares);
  new (own_) Counts;
  publish();
  MPI_Barrier(host);
  publish();
}

SharedWindow::~SharedWindow() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

/// A host's processes are in the order of all.
void SharedWindow::find_shares(const Hosts& hosts, int rank, std::span<const MemoryShare> shares) {
  shares_.resize(shares.size());
  for (int process = 0; process < static_cast<int>(hosts.firsts.size()); ++process) {
    if (!hosts.share_memory(process, rank)) continue;
    std::byte* next = first_line_of(window_, static_cast<int>(counts_.size()));
    counts_.push_back(reinterpret_cast<Counts*>(next));
    if (process == rank) own_ = counts_.back();
    next += cache_line;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i].owner != process) continue;
      shares_[i] = {next, shares[i].bytes};
      next += whole_lines(shares[i].bytes);
    }
  }
}

std::uint64_t SharedWindow::steps_of_all() const {
  std::uint64_t sum = 0;
  for (const Counts* const one : counts_) sum += one->steps.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace trainyard::mpi
