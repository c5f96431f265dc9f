# What `cmake --install` adds to the tools and libraries: headers, and a package
# that find_package(NLP) finds. Machine files and the runtime install themselves.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/nlp DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
# Generated headers, as the compiler saw them.
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/nlp DESTINATION include
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE DESTINATION share/nlp-opt)
install(DIRECTORY docs/ ${PROJECT_BINARY_DIR}/docs/ DESTINATION share/doc/nlp-opt
  FILES_MATCHING PATTERN "*.md" PATTERN CMakeFiles EXCLUDE)

set(NLP_PACKAGE_FOLDER lib/cmake/NLP)
install(EXPORT NLPTargets NAMESPACE NLP:: DESTINATION ${NLP_PACKAGE_FOLDER})
configure_package_config_file(cmake/NLPConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/NLPConfig.cmake
  INSTALL_DESTINATION ${NLP_PACKAGE_FOLDER})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/NLPConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/NLPConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/NLPConfigVersion.cmake
  DESTINATION ${NLP_PACKAGE_FOLDER})
