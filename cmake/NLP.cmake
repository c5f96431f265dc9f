# Build policy in one place: a folder's CMakeLists.txt is a list of names.

set_property(GLOBAL PROPERTY NLP_LIBRARIES "")

# Every compiler library goes into libNLPCompiler.so. libMLIR.so and libLLVM.so
# are the only LLVM libraries on a link line: a static MLIR library beside them
# gives two copies of every TypeID.
function(nlp_check_links)
  foreach(lib ${ARGN})
    if(lib MATCHES "^(MLIR|LLVM).+")
      message(FATAL_ERROR "link MLIR and LLVM, never ${lib}: it would duplicate TypeIDs")
    endif()
  endforeach()
endfunction()

# nlp_library(NAME source... [DEPENDS target...] [LINK library...] [NO_MLIR])
function(nlp_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;LINK" ${ARGN})
  nlp_check_links(${ARG_LINK})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_NO_MLIR)
    target_link_libraries(${name} PUBLIC LLVM)
  else()
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    target_precompile_headers(${name} REUSE_FROM NLPPrecompiled)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY NLP_LIBRARIES ${name})
endfunction()

# nlp_tablegen(TARGET File.td FILE.inc "-generator flags" ...): pairs of output
# and flags after the .td file.
function(nlp_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags})
  endwhile()
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY NLP_TABLEGEN_TARGETS ${target})
endfunction()

# nlp_tool(NAME source... [LINK library...])
function(nlp_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  nlp_check_links(${ARG_LINK})
  target_link_libraries(${name} PRIVATE NLPCompiler ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE NLP_VERSION="${PROJECT_VERSION}")
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# nlp_unit_test(NAME source... [LINK library...]): a GoogleTest program that
# ctest runs.
function(nlp_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# Debian's CMake package of oneDNN demands OpenCL, which a CPU build does not
# need: the imported target DNNL::dnnl is made by hand.
function(nlp_find_onednn)
  find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
  find_library(DNNL_LIBRARY dnnl REQUIRED)
  add_library(DNNL::dnnl SHARED IMPORTED GLOBAL)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${DNNL_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
endfunction()
