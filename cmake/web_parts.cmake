# The parts of the program's pages as C++ sources: style, d3, and our modules as one.
#
# A page is one file that asks nobody for another one. So the modules are put one after the other
# where an import would have loaded them, in an order in which each comes after what it uses: their
# imports, each in one line, and the word `export` are left out. No two have a name in common.

# d3 is the distribution's (Debian: node-d3), minified, with its licence's notice in its first line.
find_file(TRAINYARD_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist REQUIRED NO_DEFAULT_PATH)

set(TRAINYARD_PAGE_DIR ${PROJECT_SOURCE_DIR}/src/web/page)
set(TRAINYARD_PAGE_MODULES
  format words typed_values palette element save table figure axes
  stage end_labels crosshair outliers line_chart bar_chart small_multiples histogram dot_chart heat_map graph microbatches message_timeline
  curves paired circumstances reasons notes family filter limits verdict_list comparison_page map_page prediction_page advice_page netcheck_page score_page published_page topology_page
  lab_state lab_answers free_state lab_asking lab_drawn_guess lab_guess message_animation live_figures lab_index_page lab_page free_form free_page main)

# Sets `result` to `text` as raw string literals, one a line, each short enough for any compiler. It
# is cut behind a semicolon, and so never within a character. With their length: Clang counts no
# further than a million characters in a source.
function(trainyard_literals text result)
  set(literals "")
  string(LENGTH "${text}" rest)
  while(rest GREATER 0)
    string(SUBSTRING "${text}" 0 12000 piece)
    if(rest GREATER 12000)
      string(FIND "${piece}" ";" at REVERSE)
      if(at LESS 0)
        message(FATAL_ERROR "12,000 characters without a semicolon")
      endif()
      math(EXPR length "${at} + 1")
      string(SUBSTRING "${text}" 0 ${length} piece)
    endif()
    string(LENGTH "${piece}" length)
    string(SUBSTRING "${text}" ${length} -1 text)
    string(LENGTH "${text}" rest)
    string(APPEND literals "    R\"part(${piece})part\"sv,\n")
  endwhile()
  set(${result} "${literals}" PARENT_SCOPE)
endfunction()

set(modules "")
foreach(name IN LISTS TRAINYARD_PAGE_MODULES)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TRAINYARD_PAGE_DIR}/${name}.js)
  file(READ ${TRAINYARD_PAGE_DIR}/${name}.js text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND modules "${text}\n")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TRAINYARD_PAGE_DIR}/page.css)
file(READ ${TRAINYARD_PAGE_DIR}/page.css style)
file(READ ${TRAINYARD_D3} d3)
if(NOT d3 MATCHES "^// https://d3js.org v5[.]")
  message(FATAL_ERROR "${TRAINYARD_D3} is not version 5 of d3, for which the pages are written")
endif()
trainyard_literals("${style}" TRAINYARD_PAGE_STYLE)
trainyard_literals("${d3}" TRAINYARD_PAGE_D3)
trainyard_literals("${modules}" TRAINYARD_PAGE_PROGRAM)

set(TRAINYARD_WEB_PARTS_SOURCE ${PROJECT_BINARY_DIR}/generated/web_parts.cpp)
configure_file(cmake/web_parts.cpp.in ${TRAINYARD_WEB_PARTS_SOURCE} @ONLY)
