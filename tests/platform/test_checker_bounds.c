/* The checker: bounds, alignment and initialization. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/platform/checker_rig.h"

#define cr_assert_text(finding, text_)                                                             \
    cr_assert_str_eq((finding)->text, text_, "got: %s", (finding)->text)

RIG_SITE(read_a, 3, WG_OBJECT_PARAM, "a", 0);
RIG_SITE(write_a, 4, WG_OBJECT_PARAM, "a", 0);
RIG_SITE(read_s, 5, WG_OBJECT_SHARED, "s", 64 * 4);
RIG_SITE(write_s, 6, WG_OBJECT_SHARED, "s", 64 * 4);
RIG_SITE(read_d, 7, WG_OBJECT_DYNAMIC, "d", 0);
RIG_SITE(unknown, 8, WG_OBJECT_UNKNOWN, NULL, 0);
RIG_SITE(local, 9, WG_OBJECT_LOCAL, "sums", 16);

static void begin(void) {
    rig_launch(4, 256);
    rig_block(3);
    rig_thread(232);
}

Test(checker_bounds, element_behind_the_end) {
    uint32_t *a = rig_device(1000, true);
    begin();
    a[999] = 7;
    cr_assert_eq(rig_read(a, 999, &read_a), 7);
    cr_assert_eq(rig_total(), 0);
    cr_assert_eq(rig_read(a, 1000, &read_a), UINT32_MAX, "a NaN, and not what lies there");
    rig_thread(233);
    rig_read(a, 1001, &read_a);
    rig_end();
    cr_assert_eq(rig_total(), 1);
    const struct wg_finding_record *f = rig_finding(WG_FINDING_OUT_OF_BOUNDS);
    cr_assert_eq(f->occurrences, 2);
    cr_assert_eq(f->element, 1000);
    cr_assert_eq(f->element_count, 1000);
    cr_assert_eq(f->severity, WG_SEVERITY_ERROR);
    cr_assert_eq(f->at.line, 3);
    cr_assert_eq(f->at.block[0], 3);
    cr_assert_eq(f->at.thread[0], 232);
    cr_assert_str_eq(f->object, "a");
    cr_assert_str_eq(f->kernel, "k");
    cr_assert_text(f,
                   "Thread (232,0,0) of block (3,0,0) reads a[1000], 1 element past the end of a "
                   "(1000 elements). Guard the access, as in `if (i < n)`.");
}

Test(checker_bounds, element_before_the_start_is_not_written) {
    uint32_t *a = rig_device(10, true);
    begin();
    a[-1] = 5;
    rig_write(a, -1, 9, &write_a);
    rig_end();
    cr_assert_eq(a[-1], 5);
    cr_assert_text(
        rig_finding(WG_FINDING_OUT_OF_BOUNDS),
        "Thread (232,0,0) of block (3,0,0) writes a[-1], 1 element before the start of a "
        "(10 elements). Guard the access, as in `if (i < n)`.");
}

Test(checker_bounds, a_pointer_into_the_middle_counts_from_there) {
    uint32_t *a = rig_device(100, true);
    begin();
    rig_read(a + 60, 40, &read_a);
    rig_read(a + 60, -60, &read_a);
    rig_end();
    cr_assert_eq(rig_total(), 1);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->element, 40);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->element_count, 40);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->occurrences, 1);
}

Test(checker_bounds, vector_reaches_over_the_end) {
    uint32_t *a = rig_device(1002, true);
    begin();
    wg_check_read(a + 1000, a, 16, 16, &read_a);
    rig_end();
    cr_assert_text(
        rig_finding(WG_FINDING_OUT_OF_BOUNDS),
        "Thread (232,0,0) of block (3,0,0) reads 16 bytes from a[1000] on, 8 of them past "
        "the end of a (1002 elements). Handle the last elements one by one.");
}

Test(checker_bounds, shared_arrays_each_by_itself) {
    begin();
    rig_write(rig_shared, 63, 1, &write_s);
    rig_write(rig_shared, 64, 1, &write_s); /* inside the block's memory, outside s */
    rig_end();
    cr_assert_eq(rig_total(), 1);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->element, 64);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->element_count, 64);
    cr_assert_eq(rig_shared[64], 0);
}

Test(checker_bounds, dynamic_shared_by_the_size_of_the_launch) {
    begin();
    rig_read(rig_shared, RIG_SHARED, &read_d);
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_OUT_OF_BOUNDS);
    cr_assert_eq(f->element, RIG_SHARED);
    cr_assert(strstr(f->text, "<<<grid, block, BYTES>>>") != NULL);
}

Test(checker_bounds, freed_null_and_host) {
    uint32_t *a = rig_device(10, true);
    uint32_t *host = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(host, MAP_FAILED);
    wg_checker_free(a);
    begin();
    rig_read(a, 3, &read_a);
    rig_read(NULL, 5, &read_a);
    rig_write(host, 1, 5, &write_a);
    rig_end();
    cr_assert_eq(host[1], 0);
    cr_assert_eq(rig_total(), 3);
    cr_assert_text(
        rig_finding(WG_FINDING_USE_AFTER_FREE),
        "Thread (232,0,0) of block (3,0,0) reads a[3] after hipFree released that memory. "
        "Free it only when the kernels that use it are done.");
    cr_assert(strstr(rig_finding(WG_FINDING_NULL_POINTER)->text, "a null pointer") != NULL);
    cr_assert(strstr(rig_finding(WG_FINDING_HOST_POINTER)->text, "through a,") != NULL);
}

Test(checker_bounds, unknown_pointers_are_found_by_address) {
    uint32_t *a = rig_device(10, true);
    uint32_t on_stack = 4;
    uintptr_t pack = (uintptr_t)a;
    static const struct wg_cpu_param param = {.bytes = 8, .is_pointer = 1, .name = "values"};
    rig_kernel.params = &param;
    rig_kernel.param_count = 1;
    wg_self = NULL;
    wg_checker_launch_begin(&(struct wg_checker_launch){.kernel = &rig_kernel,
                                                        .pack = &pack,
                                                        .grid = {1, 1, 1},
                                                        .block = {32, 1, 1},
                                                        .sequence = 1});
    rig_launch(1, 32);
    rig_block(0);
    cr_assert_eq(wg_check_read(&on_stack, NULL, 4, 4, &unknown), &on_stack);
    wg_check_read(a + 9, NULL, 4, 4, &unknown);
    wg_check_write(rig_shared + 3, NULL, 4, 4, 0, 0, &unknown);
    cr_assert_eq(rig_total(), 0);
    wg_check_read(a + 10, NULL, 4, 4, &unknown);
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_OUT_OF_BOUNDS);
    cr_assert_eq(f->element, 10);
    cr_assert_eq(f->element_count, 10);
}

Test(checker_bounds, parameters_name_allocations) {
    uint32_t *a = rig_device(10, true);
    uintptr_t pack = (uintptr_t)a;
    static const struct wg_cpu_param param = {.bytes = 8, .is_pointer = 1, .name = "values"};
    rig_kernel.params = &param;
    rig_kernel.param_count = 1;
    struct wg_cpu_thread thread = {.warp_size = 64, .block_dim = {1, 1, 1}, .grid_dim = {1, 1, 1}};
    wg_self = &thread;
    wg_checker_launch_begin(&(struct wg_checker_launch){.kernel = &rig_kernel,
                                                        .pack = &pack,
                                                        .grid = {1, 1, 1},
                                                        .block = {1, 1, 1},
                                                        .sequence = 1});
    wg_checker_block_begin((char *)rig_shared, sizeof rig_shared);
    wg_check_read(a + 12, NULL, 4, 4, &unknown);
    wg_checker_block_end();
    wg_checker_launch_end();
    cr_assert_str_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->object, "values");
}

Test(checker_bounds, constants_are_read_only) {
    static uint32_t table[4];
    RIG_SITE(read_k, 11, WG_OBJECT_CONSTANT, "table", sizeof table);
    RIG_SITE(write_k, 12, WG_OBJECT_CONSTANT, "table", sizeof table);
    wg_checker_alloc(table, sizeof table, false, "table");
    begin();
    rig_read(table, 3, &read_k);
    cr_assert_eq(rig_total(), 0);
    rig_read(table, 4, &read_k);
    rig_write(table, 1, 5, &write_k);
    rig_end();
    cr_assert_eq(table[1], 0);
    cr_assert_eq(rig_finding(WG_FINDING_OUT_OF_BOUNDS)->at.line, 11);
    cr_assert_eq(rig_finding(WG_FINDING_CONSTANT_WRITE)->at.line, 12);
}

Test(checker_bounds, locals) {
    uint32_t sums[4] = {0};
    begin();
    rig_write(sums, 3, 1, &local);
    cr_assert_eq(rig_total(), 0);
    rig_write(sums, 4, 1, &local);
    wg_check_local_bounds(-4, 4, 0, &read_s);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_OUT_OF_BOUNDS), 2);
    cr_assert_text(
        rig_finding(WG_FINDING_OUT_OF_BOUNDS),
        "Thread (232,0,0) of block (3,0,0) writes sums[4], 1 element past the end of sums "
        "(4 elements). Check the index against the array's size.");
}

Test(checker_bounds, misaligned_vectors_still_do_their_work) {
    uint32_t *a = rig_device(100, true);
    a[1] = 1;
    a[4] = 4;
    begin();
    const uint32_t *seen = wg_check_read(a + 1, a, 16, 16, &read_a);
    cr_assert_eq((uintptr_t)seen % 16, 0);
    cr_assert(seen[0] == 1 && seen[3] == 4);
    wg_check_write(a + 2, a, 8, 8, UINT64_C(0x0000000800000009), 0, &write_a);
    cr_assert_eq(rig_count(WG_FINDING_MISALIGNED), 1);
    wg_check_write(a + 3, a, 8, 8, UINT64_C(0x0000000800000009), 0, &write_a);
    cr_assert(a[3] == 9 && a[4] == 8);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_MISALIGNED), 2);
    cr_assert(strstr(rig_finding(WG_FINDING_MISALIGNED)->text, "not a multiple of 16") != NULL);
}

/* ---- Initialization ----------------------------------------------------------------------------
 */
Test(checker_init, device_memory) {
    uint32_t *a = rig_device(8, false);
    begin();
    rig_write(a, 2, 1, &write_a);
    rig_read(a, 2, &read_a);
    cr_assert_eq(rig_total(), 0);
    rig_read(a, 3, &read_a);
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_UNINITIALIZED_READ)->element, 3);
    cr_assert_text(rig_finding(WG_FINDING_UNINITIALIZED_READ),
                   "Thread (232,0,0) of block (3,0,0) reads a[3], which nothing has written yet. "
                   "Clear it with hipMemset, which counts bytes, or store before you read.");
}

Test(checker_init, adding_to_what_nobody_cleared) {
    uint32_t *a = rig_device(8, false);
    begin();
    rig_add(a, 1, 1, &read_a);
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_UNINITIALIZED_READ)->is_write, 2);
}

Test(checker_init, copies_carry_it_along) {
    uint32_t *from = rig_device(8, false), *to = rig_device(8, true), *third = rig_device(8, false);
    wg_checker_undefine(to, 32);
    cr_assert_eq(wg_checker_first_unwritten(to, 32), 0);
    wg_checker_host_write(from, 4);
    wg_checker_host_copy(to, from, 32);
    cr_assert_eq(wg_checker_first_unwritten(to, 32), 4);
    begin();
    rig_read(to, 0, &read_a);
    wg_check_copy(third, third, to, to, 8, &write_a, &read_a);
    rig_read(third, 0, &read_a);
    cr_assert_eq(rig_total(), 0);
    rig_read(third, 1, &read_a);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_UNINITIALIZED_READ), 1);
}

Test(checker_init, structs_in_and_out) {
    uint32_t *a = rig_device(16, false);
    uint64_t words = 0;
    begin();
    rig_write(a, 1, 5, &write_a);
    cr_assert_eq(wg_check_copy_in(a, a, 16, 4, &words, &read_a), a);
    cr_assert_eq(words & 15, 2);
    cr_assert_eq(wg_check_copy_out(a + 4, a, 16, 4, 0, 0, words, &write_a), a + 4);
    cr_assert_eq(rig_total(), 0);
    rig_read(a, 5, &read_a);
    cr_assert_eq(rig_total(), 0);
    RIG_SITE(nothing, 21, WG_OBJECT_PARAM, "a", 0);
    wg_check_copy_in(a + 8, a, 16, 4, &words, &nothing);
    cr_assert_eq(words & 15, 15, "told once");
    rig_read(a, 6, &read_a);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_UNINITIALIZED_READ), 2);
}

Test(checker_init, shared_memory_starts_afresh_in_each_block) {
    begin();
    rig_write(rig_shared, 5, 1, &write_s);
    rig_barrier();
    rig_read(rig_shared, 5, &read_s);
    cr_assert_eq(rig_total(), 0);
    rig_block(0);
    rig_read(rig_shared, 5, &read_s);
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_UNINITIALIZED_READ);
    cr_assert(strstr(f->text, "no thread of the block has written") != NULL);
}

Test(checker_init, only_the_bytes_that_are_read) {
    uint32_t *a = rig_device(8, false);
    begin();
    wg_check_write((char *)a + 5, a, 1, 1, 0, 0, &write_a);
    wg_check_read((char *)a + 5, a, 1, 1, &read_a);
    wg_check_read(a + 1, a, 4, 4, &read_a); /* with padding around it, perhaps */
    cr_assert_eq(rig_total(), 0);
    wg_check_read((char *)a + 6, a, 1, 1, &read_a);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_UNINITIALIZED_READ), 1);
}

Test(checker_init, locals_that_were_announced) {
    static uint32_t stack[64];
    wg_checker_stack_region(stack, sizeof stack);
    begin();
    wg_check_local(stack + 8, 16, &local);
    rig_write(stack + 8, 1, 7, &local);
    rig_read(stack + 8, 1, &local);
    cr_assert_eq(rig_total(), 0);
    rig_read(stack + 8, 2, &local);
    cr_assert_eq(rig_finding(WG_FINDING_UNINITIALIZED_READ)->element, 2);
    /* The same stack slot as another variable. */
    RIG_SITE(other, 20, WG_OBJECT_LOCAL, "other", 16);
    rig_read(stack + 8, 3, &other);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_UNINITIALIZED_READ), 1);
}
