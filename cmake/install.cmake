# `cmake --install`: the program, the libraries with their headers, a package for find_package(trainyard),
# and the script that fetches data sets, beside the catalogue that it reads.
include(CMakePackageConfigHelpers)

set(TRAINYARD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/trainyard)

install(TARGETS trainyard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS trainyard_library trainyard_program trainyard_plug_in EXPORT trainyard_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET trainyard-mpi)
  install(TARGETS trainyard-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/trainyard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT trainyard_targets NAMESPACE trainyard:: FILE trainyard_targets.cmake
  DESTINATION ${TRAINYARD_PACKAGE_DIR})

configure_package_config_file(cmake/trainyard-config.cmake.in
  ${PROJECT_BINARY_DIR}/trainyard-config.cmake INSTALL_DESTINATION ${TRAINYARD_PACKAGE_DIR})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trainyard-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trainyard-config.cmake
  ${PROJECT_BINARY_DIR}/trainyard-config-version.cmake DESTINATION ${TRAINYARD_PACKAGE_DIR})

install(FILES datasets/catalog.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/datasets COMPONENT program)
install(PROGRAMS scripts/fetch_datasets.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/scripts COMPONENT program)
# What scripts/reference.py makes of the program's helps.
install(FILES share/trainyard.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES share/trainyard.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME trainyard COMPONENT program)
install(FILES share/_trainyard DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY docs/labs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
