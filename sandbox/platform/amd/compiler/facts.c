/* A code object carries a note with a map for each kernel ("amdhsa.kernels" in LLVM's AMDGPU usage
 * guide). Everything in it may be made by a hostile file's
 * compilation, so a field that is not there or no number becomes -1. */
#include "sandbox/platform/amd/compiler/facts.h"

#include <amd_comgr.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/amd/compiler/occupancy.h"

#define CODE_OBJECT_LIMIT_BYTES ((size_t)256 << 20)
#define USUAL_BLOCK_THREADS     256

/* Of libstdc++, as the C++ ABI defines it. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

struct code_object {
    amd_comgr_data_t data;
    const char *arch;
    int block_threads;
    const struct wg_amd_places *places;
};

/* ---- The note ------------------------------------------------------------------------------- */

static char *lookup_text(amd_comgr_metadata_node_t map, const char *key) {
    amd_comgr_metadata_node_t node;
    size_t size = 0;
    char *text = NULL;
    if (amd_comgr_metadata_lookup(map, key, &node) != AMD_COMGR_STATUS_SUCCESS) {
        return NULL;
    }
    if (amd_comgr_get_metadata_string(node, &size, NULL) == AMD_COMGR_STATUS_SUCCESS) {
        text = wg_calloc(size + 1, 1);
        if (amd_comgr_get_metadata_string(node, &size, text) != AMD_COMGR_STATUS_SUCCESS) {
            free(text);
            text = NULL;
        }
    }
    amd_comgr_destroy_metadata(node);
    return text;
}

static int lookup_count(amd_comgr_metadata_node_t map, const char *key) {
    WG_CLEANUP(wg_freep) char *text = lookup_text(map, key);
    char *end = NULL;
    long long value = text ? strtoll(text, &end, 0) : -1;
    return text && end != text && *end == '\0' && value >= 0 && value <= INT32_MAX ? (int)value
                                                                                   : -1;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Nobody wrote this part of a name. */
static void drop_anonymous(char *name) {
    static const char scope[] = "(anonymous namespace)::";
    for (char *at = name; (at = strstr(at, scope)) != NULL;) {
        memmove(at, at + sizeof scope - 1, strlen(at + sizeof scope - 1) + 1);
    }
}

/* "void ns::tile<16>(float*, int)" as "ns::tile<16>": every kernel returns void. */
static char *kernel_name(const char *symbol) {
    int status = 0;
    char *full = __cxa_demangle(symbol, NULL, NULL, &status);
    if (!full) {
        return wg_strdup(symbol);
    }
    drop_anonymous(full);
    const char *start = strncmp(full, "void ", 5) == 0 ? full + 5 : full;
    char *end = full + strlen(full);
    int depth = 0;
    for (char *at = end; at > start; at--) {
        depth += at[-1] == ')' ? 1 : at[-1] == '(' ? -1 : 0;
        if (at[-1] == '(' && depth == 0) {
            end = at - 1;
            break;
        }
    }
    char *name = wg_strf("%.*s", (int)(end - start), start);
    free(full);
    return name;
}

/* ---- The table ------------------------------------------------------------------------------ */

void wg_amd_facts_head(struct wg_buf *out) {
    wg_buf_puts(out, "arch\tkernel\tfile\tline\twave_threads\tregisters\taccumulation_registers\t"
                     "scalar_registers\tspilled_registers\tspilled_scalar_registers\t"
                     "scratch_bytes\tshared_bytes\tblock_threads_limit\tblock_threads\t"
                     "occupancy_waves\toccupancy_waves_limit\tlimited_by\trelief\n");
}

/* Tabs and newlines end cells; no name of C++ has them. */
static void put_text(struct wg_buf *out, const char *text) {
    for (; *text; text++) {
        wg_buf_add(out, (unsigned char)*text < ' ' ? "?" : text, 1);
    }
    wg_buf_puts(out, "\t");
}

static void put_count(struct wg_buf *out, int value) {
    if (value >= 0) {
        wg_buf_printf(out, "%d", value);
    }
    wg_buf_puts(out, "\t");
}

static void add_kernel(const struct code_object *object, amd_comgr_metadata_node_t map,
                       struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *symbol = lookup_text(map, ".name");
    if (!symbol) {
        return;
    }
    WG_CLEANUP(wg_freep) char *name = kernel_name(symbol);
    const struct wg_amd_place *place = wg_amd_places_find(object->places, symbol);
    int block_limit = lookup_count(map, ".max_flat_workgroup_size");
    struct wg_amd_usage usage = {
        .wave_threads = lookup_count(map, ".wavefront_size"),
        .registers = lookup_count(map, ".vgpr_count"),
        .scalar_registers = lookup_count(map, ".sgpr_count"),
        .shared_bytes = lookup_count(map, ".group_segment_fixed_size"),
        .block_threads = object->block_threads ? object->block_threads : USUAL_BLOCK_THREADS,
    };
    if (block_limit > 0 &&
        (block_limit < usage.block_threads || (!object->block_threads && block_limit < 1024))) {
        usage.block_threads = block_limit;
    }
    struct wg_amd_occupancy occupancy = {.waves = -1, .waves_limit = -1};
    wg_amd_occupancy(object->arch, &usage, &occupancy);
    put_text(out, object->arch);
    put_text(out, name);
    put_text(out, place ? place->file : "");
    put_count(out, place ? place->line : -1);
    put_count(out, usage.wave_threads);
    put_count(out, usage.registers);
    put_count(out, lookup_count(map, ".agpr_count"));
    put_count(out, usage.scalar_registers);
    put_count(out, lookup_count(map, ".vgpr_spill_count"));
    put_count(out, lookup_count(map, ".sgpr_spill_count"));
    put_count(out, lookup_count(map, ".private_segment_fixed_size"));
    put_count(out, usage.shared_bytes);
    put_count(out, block_limit);
    put_count(out, usage.block_threads);
    put_count(out, occupancy.waves);
    put_count(out, occupancy.waves_limit);
    put_text(out, occupancy.limited_by ? occupancy.limited_by : "");
    wg_buf_printf(out, "%d\n", occupancy.relief);
}

static bool add_kernels(const struct code_object *object, struct wg_buf *out) {
    amd_comgr_metadata_node_t root;
    amd_comgr_metadata_node_t list;
    size_t count = 0;
    if (amd_comgr_get_data_metadata(object->data, &root) != AMD_COMGR_STATUS_SUCCESS) {
        return false;
    }
    /* A file without kernels has no list. */
    if (amd_comgr_metadata_lookup(root, "amdhsa.kernels", &list) == AMD_COMGR_STATUS_SUCCESS) {
        amd_comgr_get_metadata_list_size(list, &count);
        for (size_t i = 0; i < count; i++) {
            amd_comgr_metadata_node_t map;
            if (amd_comgr_index_list_metadata(list, i, &map) == AMD_COMGR_STATUS_SUCCESS) {
                add_kernel(object, map, out);
                amd_comgr_destroy_metadata(map);
            }
        }
        amd_comgr_destroy_metadata(list);
    }
    amd_comgr_destroy_metadata(root);
    return true;
}

enum wg_code wg_amd_facts_add(const char *path, const char *arch, int block_threads,
                              const struct wg_amd_places *places, struct wg_buf *out,
                              struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    struct code_object object = {.arch = arch, .block_threads = block_threads, .places = places};
    enum wg_code code = wg_file_read(path, CODE_OBJECT_LIMIT_BYTES, &bytes, err);
    if (code) {
        return code;
    }
    if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &object.data) !=
        AMD_COMGR_STATUS_SUCCESS) {
        return wg_fail(err, WG_EPROTO, "libamd_comgr does not work");
    }
    bool read =
        amd_comgr_set_data(object.data, bytes.len, wg_buf_str(&bytes)) == AMD_COMGR_STATUS_SUCCESS;
    read = read && add_kernels(&object, out);
    amd_comgr_release_data(object.data);
    return read ? WG_OK
                : wg_fail(err, WG_EPROTO, "the code object for %s has no readable note", arch);
}
