#include "runtime/mpi/told_failure.hpp"

#include <new>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/coder.hpp"

namespace trainyard::mpi {

Failed told(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const NotFinite& error) {
    return {Failure::not_finite, error.what()};
  } catch (const UsageError& error) {
    return {Failure::usage, error.what()};
  } catch (const DataError& error) {
    return {Failure::data, error.what()};
  } catch (const Interrupted& error) {
    return {Failure::interrupted, error.what()};
  } catch (const InternalError& error) {
    return {Failure::defect, error.what()};
  } catch (const std::bad_alloc&) {
    return {Failure::run, "not enough memory"};
  } catch (const std::exception& error) {
    return {Failure::run, error.what()};
  } catch (...) {
    return {Failure::defect, "an exception that is none of the standard library's"};
  }
}

void throw_as(Failure kind, const std::string& text) {
  switch (kind) {
    case Failure::usage:
      throw UsageError(text);
    case Failure::data:
      throw DataError(text);
    case Failure::interrupted:
      throw Interrupted(text);
    case Failure::defect:
      throw InternalError(text);
    default:
      throw RunError(text);
  }
}

}  // namespace trainyard::mpi
