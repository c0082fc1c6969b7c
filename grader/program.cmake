# Command lines as data, apart so that it can be tested.
add_library(wg_command_line STATIC completion.c manual.c options.c)
target_link_libraries(wg_command_line PUBLIC wg_base PRIVATE wg_trusted_options)

# The program: everything that prints or exits is here.
add_executable(wavegrade
  main.c interrupt.c commands.c gate.c cmd_grade.c cmd_check.c cmd_batch.c batch_show.c batch_summary.c cmd_results.c results_write.c cmd_build.c cmd_lint.c cmd_doctor.c cmd_memcheck.c cmd_calibrate.c cmd_report.c cmd_kit.c cmd_new.c cmd_slurm_task.c cmd_completion.c
  cmd_manual.c)
target_link_libraries(wavegrade PRIVATE wg_trusted_options wg_command_line wg_batch wg_grade wg_check wg_export wg_kit wg_scaffold wg_platform wg_jail)
set_target_properties(wavegrade PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS wavegrade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Manual pages and completion, made by the program from its own option tables.
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/man1/wavegrade.1 ${manual}/wavegrade.bash ${manual}/_wavegrade
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1
  COMMAND wavegrade manual --all ${manual}/man1
  COMMAND wavegrade completion bash > ${manual}/wavegrade.bash
  COMMAND wavegrade completion zsh > ${manual}/_wavegrade
  DEPENDS wavegrade)
add_custom_target(wg_manual ALL DEPENDS ${manual}/man1/wavegrade.1)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/wavegrade.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME wavegrade)
install(FILES ${manual}/_wavegrade DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
