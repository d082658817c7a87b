cmake_minimum_required(VERSION 3.25)

# Read by cpack, before it packs. Without these it only warns, and leaves out on which libraries' packages the
# program depends: what is made then installs, and does not run.
foreach(tool dpkg-shlibdeps file)
  find_program(path_of_${tool} ${tool})
  if(NOT path_of_${tool})
    message(FATAL_ERROR "cpack needs ${tool}, to find the libraries' packages; apt-get install dpkg-dev file")
  endif()
endforeach()
