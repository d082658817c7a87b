# trainyard-mpi: the same program with a process for each rank, where MPI is found.
option(TRAINYARD_MPI "Build trainyard-mpi where MPI is found" ON)
if(TRAINYARD_MPI)
  find_package(MPI COMPONENTS CXX QUIET)
endif()
if(NOT MPI_CXX_FOUND)
  return()
endif()

file(GLOB TRAINYARD_MPI_SOURCES RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS src/runtime/mpi/*.cpp)
add_library(trainyard_mpi_library STATIC ${TRAINYARD_MPI_SOURCES} src/app/mpi_program.cpp)
add_library(trainyard::mpi ALIAS trainyard_mpi_library)
set_target_properties(trainyard_mpi_library PROPERTIES OUTPUT_NAME trainyard_mpi EXPORT_NAME mpi)
# The C interface is all that is used; the C++ one of MPI-2 does not compile without warnings.
target_compile_definitions(trainyard_mpi_library PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
target_include_directories(trainyard_mpi_library PRIVATE src)
target_link_libraries(trainyard_mpi_library
  PUBLIC trainyard_program MPI::MPI_CXX
  PRIVATE $<BUILD_INTERFACE:trainyard_options>)

add_executable(trainyard-mpi src/app/mpi_main.cpp)
target_link_libraries(trainyard-mpi PRIVATE trainyard_mpi_library trainyard_options)
trainyard_loads_plug_ins(trainyard-mpi)
