# The tests of kernels and codecs with what they stand on, and nothing else: so few sources that a second
# compiler is affordable (scripts/test_kernels.sh). Here and not in tests/, since the options of single
# sources of src/ hold in the directory that sets them.
find_package(Catch2 REQUIRED)
file(GLOB TRAINYARD_KERNEL_SOURCES CONFIGURE_DEPENDS
  src/base/*.cpp src/codec/*.cpp src/model/*.cpp
  tests/main.cpp tests/codec/*.cpp tests/model/problems.cpp tests/model/*kernels_test.cpp
  tests/model/matrix_product_test.cpp tests/support/allocations.cpp)
add_executable(trainyard_kernel_tests EXCLUDE_FROM_ALL ${TRAINYARD_KERNEL_SOURCES})
target_include_directories(trainyard_kernel_tests PRIVATE include src tests ${RANDOM123_INCLUDE_DIR})
target_link_libraries(trainyard_kernel_tests PRIVATE trainyard_options Catch2::Catch2 fmt::fmt hwy::hwy
  Eigen3::Eigen TBB::tbb Threads::Threads)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_compile_definitions(trainyard_kernel_tests PRIVATE TRAINYARD_CATCH2_3=1)
endif()
