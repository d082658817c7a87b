# `cpack` in the build folder: a package for Debian with what somebody needs who has no compiler: the
# program, its manual page and completions, the labs and their notes. The libraries' packages that the
# program needs are found by dpkg-shlibdeps; so a package is for the Debian that it was built on.

# Where Debian's zsh looks, as it does not where others do.
install(FILES share/_trainyard DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trainyard)
set(CPACK_PACKAGE_CONTACT "The maintainers of Trainyard <maintainers@trainyard.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "which way of making workers talk trains a model fastest")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS curl)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_tools.cmake)
include(CPack)
