// Named arrays and numbers on their way into a file or out of one: NumPy's .npz format, a zip
// archive of npy files that are stored as they are, each with a checksum (CRC-32).
//
//   Archive archive;                       // to be filled; or Archive::read(file)
//   archive.exchange("steps", steps);      // puts it there, or takes it from there
//   archive.exchange("replica", replica);
//   archive.write(file);
//
// What is saved and what is loaded are the same lines, so that neither can forget what the other
// has. numpy.load(file)["steps"] reads it.
//
// Threads: one at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// The numbers that an archive has arrays of.
template <typename T>
concept ArchivedNumber = std::same_as<T, std::uint64_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint8_t> || std::same_as<T, double>;

class Archive {
 public:
  /// To be filled.
  Archive() = default;
  /// Throws DataError where it cannot be read, is no such archive, or is damaged.
  static Archive read(const std::filesystem::path& file);
  /// To the disk itself. Throws RunError, and leaves no file, where that fails. REQUIRES: it was
  /// filled.
  void write(const std::filesystem::path& file) const;

  bool is_filled() const { return !is_read_; }

  /// As from a file to which this was written.
  Archive read_back() const;
  /// The arrays whose names are wanted, for another process of the same program.
  std::vector<std::byte> packed(const std::function<bool(std::string_view)>& is_wanted) const;
  /// As from a file, what packed() gave.
  static Archive unpacked(std::span<const std::byte> bytes);
  /// Has also what packed() gave, in place of arrays with these names. REQUIRES: this one was
  /// filled, and ends before the bytes.
  void take_over(std::span<const std::byte> bytes);
  /// Forgets the arrays whose names are unwanted.
  void drop(const std::function<bool(std::string_view)>& is_unwanted);

  // Each puts the value under that name or takes it from there. Throws DataError where an archive
  // that was read has no such array.
  template <ArchivedNumber T>
  void exchange(const std::string& name, std::vector<T>& values) {
    if (is_filled()) return put(name, kind_of<T>(), sizeof(T), std::as_bytes(std::span(values)));
    const std::span<const std::byte> bytes = taken(name, kind_of<T>(), sizeof(T));
    values.resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  template <ArchivedNumber T>
  void exchange(const std::string& name, T& value) {
    std::vector<T> one{value};
    exchange(name, one);
    value = only(name, one);
  }
  void exchange(const std::string& name, Duration& value);
  /// In UTF-8.
  void exchange(const std::string& name, std::string& text);
  void exchange(const std::string& name, std::optional<double>& value);
  void exchange(const std::string& name, std::vector<std::string>& texts);
  /// Kept by reference until it is written; moved out of one that was read.
  void exchange(const std::string& name, VectorBuffer& values);

  /// What follows `prefix` in the names that begin with it, in their order.
  std::vector<std::string> names_behind(std::string_view prefix) const;

 private:
  struct Entry {
    char kind = 'f';  // as in a npy file: u, i or f
    std::size_t width = 1;
    VectorBuffer vector;           // read: of kind f
    std::vector<std::byte> bytes;  // of the others
    std::span<const std::byte> borrowed;
    std::span<const std::byte> content() const;
  };

  template <ArchivedNumber T>
  static constexpr char kind_of() {
    if constexpr (std::floating_point<T>) return 'f';
    return std::signed_integral<T> ? 'i' : 'u';
  }
  template <typename T>
  const T& only(const std::string& name, const std::vector<T>& values) const {
    if (values.size() != 1) throw_unlike(name);
    return values.front();
  }
  void put(const std::string& name, char kind, std::size_t width, std::span<const std::byte> bytes);
  std::span<const std::byte> taken(const std::string& name, char kind, std::size_t width) const;
  const Entry& found(const std::string& name) const;
  Entry& found(const std::string& name);
  [[noreturn]] void throw_unlike(const std::string& name) const;

  std::string file_;  // that was read
  bool is_read_ = false;
  std::map<std::string, Entry> entries_;
};

}  // namespace trainyard
