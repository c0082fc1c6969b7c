/* What a platform's compile tool tells about each kernel, resources.tsv, as part of a result.
 *
 * The table's first line names its columns, in any order; each further line is a kernel on an arch:
 *   arch kernel file line            line may be empty
 *   wave_threads registers accumulation_registers scalar_registers spilled_registers
 *   spilled_scalar_registers spilled_bytes scratch_bytes shared_bytes block_threads_limit
 *   block_threads occupancy_waves occupancy_waves_limit       counts; empty: not known
 *   limited_by relief                what keeps occupancy low, and how much of it a kernel may use
 *                                    for the next step up; empty and 0: nothing
 * Cells are separated by single tabs. The tool ran in the jail: nothing in the table is trusted. */
#ifndef WG_BUILD_RESOURCES_H
#define WG_BUILD_RESOURCES_H

#include "grader/result/result.h"

#define WG_RESOURCES_MAX 512

/* Appends the table's kernels to the result, at most WG_RESOURCES_MAX in all. platform: "amd". A
 * line that makes no sense is left out. */
void wg_resources_parse(const char *platform, const char *table, struct wg_result *result);

#endif
