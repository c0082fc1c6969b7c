# Command lines as data, apart so that it can be tested.
add_library(wg_command_line STATIC options.c)
target_link_libraries(wg_command_line PUBLIC wg_base PRIVATE wg_trusted_options)

# The program: everything that prints or exits is here.
add_executable(wavegrade
  main.c commands.c cmd_grade.c cmd_check.c cmd_build.c cmd_lint.c cmd_doctor.c cmd_memcheck.c cmd_calibrate.c)
target_link_libraries(wavegrade PRIVATE wg_trusted_options wg_command_line wg_grade wg_check wg_export wg_platform wg_jail)
set_target_properties(wavegrade PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS wavegrade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
