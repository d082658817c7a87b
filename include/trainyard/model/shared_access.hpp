// How the memory of a shared model is accessed (runtime/shared_model.hpp): each float whole, as a
// relaxed atomic, because each stands for itself and no other memory is published through it. This
// is the one place that says how. (Models in 8 or 16 bits: model/parameter_access.hpp.)
//
// std::atomic_ref is what the language has for it, and what compare-and-swaps use, and single loads
// and stores wherever it is free: Clang 14 makes one move of each. GCC 12 takes an atomic float
// through an integer register and back, whether by atomic_ref<float>, atomic_ref<uint32_t> or
// __atomic_load: 18.4 instead of 16.3 instructions and 1.22 instead of 1.02 ns a nonzero of a
// sparse logistic step (60 a row; with the regulariser 1.42 and 1.25; least of 41 interleaved runs
// on an AMD EPYC). So GCC is given the move for x86, whose aligned 4-byte moves are whole (Intel
// SDM 3A, 9.1.1): what the assembler does is no access that the language knows, hence no race in
// its sense.
//
// Vectors of atomics the language does not have, and atomics one by one take 0.28 and 0.59 ns a
// float instead of 0.06 and 0.09 (copy_shared(), axpy_shared() in the nearest cache; 0.44 and 0.75
// instead of 0.13 and 0.19 for the 235,000 weights of an MLP 784-256-128-10). So these two access
// shared floats by plain vector loads and stores. Every x86 and Arm processor takes their aligned
// 32-bit elements whole, which is all that relaxed atomic floats promise, but by the letter of the
// language it is a race: they are in a file that the compiler cannot look through from the callers.
// (Manuals promise less: Intel's whole 8 bytes that are aligned; Arm's each half of a vector that
// begins at 8 bytes, and each element of LD1, for which GCC takes LDR. What divides an access is
// the end of a line or of 16 bytes, and no aligned float lies across one.)
//
// On Arm the language's form is a move to an integer register and one on to the other kind, and no
// fence: relaxed is what an Arm processor does with any load and store.
//
// Sanitizers cannot look into the assembler, and ThreadSanitizer would report the vectors. Their
// builds take the language's form of both: bounds are checked, and a plain access to a shared
// model that was forgotten anywhere else is a race that ThreadSanitizer sees.
//
// A sparse step of softmax takes the weights of a feature, one for each class, as vectors too: with
// 10 classes 7.1 instead of 21 ns a nonzero (kernels::sparse_product(),
// kernels::subtract_sparse_outer()).
//
// Threads: any number at once, each access by itself.
#pragma once

#include <atomic>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TRAINYARD_LANGUAGE_ATOMICS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TRAINYARD_LANGUAGE_ATOMICS 1
#endif
#endif

namespace trainyard {

#if defined(TRAINYARD_LANGUAGE_ATOMICS)
inline constexpr bool shared_floats_take_vectors = false;
#else
inline constexpr bool shared_floats_take_vectors = true;
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(TRAINYARD_LANGUAGE_ATOMICS)
inline float load_relaxed(const float& parameter) {
  float value;
  asm volatile("movss %1, %0" : "=x"(value) : "m"(parameter));
  return value;
}
inline void store_relaxed(float& parameter, float value) {
  asm volatile("movss %1, %0" : "=m"(parameter) : "x"(value));
}
#else
inline float load_relaxed(const float& parameter) {
  // C++20's atomic_ref wants a mutable object even for a load (mended in C++26); nothing is
  // written.
  return std::atomic_ref<float>(const_cast<float&>(parameter)).load(std::memory_order_relaxed);
}
inline void store_relaxed(float& parameter, float value) {
  std::atomic_ref<float>(parameter).store(value, std::memory_order_relaxed);
}
#endif

}  // namespace trainyard
