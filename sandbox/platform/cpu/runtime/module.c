/* Kernels and variables of loaded student code. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

static struct wg_module_info *modules;

/* Finds the library that holds the module's tables, and its machine code. */
static int find_text(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    struct wg_module_info *info = data;
    uintptr_t tables = (uintptr_t)info->module;
    uintptr_t text_low = 0;
    uintptr_t text_high = 0;
    bool found = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t low = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD) {
            continue;
        }
        found |= tables >= low && tables < low + segment->p_memsz;
        if ((segment->p_flags & PF_X) != 0) {
            text_low = low;
            text_high = low + segment->p_memsz;
        }
    }
    if (found) {
        info->text_low = text_low;
        info->text_high = text_high;
    }
    return found;
}

bool wg_module_holds_code(const void *address) {
    uintptr_t code = (uintptr_t)address;
    for (const struct wg_module_info *info = modules; info != NULL; info = info->next) {
        if (code >= info->text_low && code < info->text_high) {
            return true;
        }
    }
    return false;
}

static void tell_about_variables(const struct wg_cpu_module *module) {
    for (uint64_t i = 0; i < module->variable_count; i++) {
        const struct wg_cpu_variable *variable = &module->variables[i];
        wg_checker_alloc(variable->address, variable->bytes, variable->is_managed, variable->name);
        /* A loader gives device variables their initial values, or zeros. */
        wg_checker_host_write(variable->address, variable->bytes);
    }
}

void wg_cpu_module_register(const struct wg_cpu_module *module) {
    if (module->abi != WG_CPU_ABI) {
        fprintf(stderr,
                "wavegrade: a module was compiled for version %u of the cpu platform; this "
                "one is %d. Compile it again.\n",
                module->abi, WG_CPU_ABI);
        abort();
    }
    struct wg_module_info *info = calloc(1, sizeof *info);
    struct wg_kernel_info *kernels = calloc(module->kernel_count + 1, sizeof *kernels);
    if (info == NULL || kernels == NULL) {
        abort();
    }
    *info = (struct wg_module_info){.module = module, .kernels = kernels, .next = modules};
    for (uint64_t i = 0; i < module->kernel_count; i++) {
        kernels[i].kernel = &module->kernels[i];
        kernels[i].module = info;
        wg_demangle(kernels[i].name, sizeof kernels[i].name, module->kernels[i].name);
    }
    dl_iterate_phdr(find_text, info);
    wg_config_watch_exit();
    modules = info;
    if (module->checked && !wg_checker_on) {
        wg_checker_on = true;
        wg_report->checked = 1;
        wg_arena_tell_checker();
        wg_module_tell_checker();
    } else if (wg_checker_on) {
        tell_about_variables(module);
    }
}

void wg_cpu_module_unregister(const struct wg_cpu_module *module) {
    for (struct wg_module_info **link = &modules; *link != NULL; link = &(*link)->next) {
        struct wg_module_info *info = *link;
        if (info->module == module) {
            for (uint64_t i = 0; wg_checker_on && i < module->variable_count; i++) {
                wg_checker_free(module->variables[i].address);
            }
            *link = info->next;
            free(info->kernels);
            free(info);
            return;
        }
    }
}

void wg_module_tell_checker(void) {
    for (const struct wg_module_info *info = modules; info != NULL; info = info->next) {
        tell_about_variables(info->module);
    }
}

const struct wg_kernel_info *wg_module_find_kernel(const void *handle) {
    for (const struct wg_module_info *info = modules; info != NULL; info = info->next) {
        for (uint64_t i = 0; i < info->module->kernel_count; i++) {
            if (info->module->kernels[i].handle == handle) {
                return &info->kernels[i];
            }
        }
    }
    return NULL;
}

const struct wg_kernel_info *wg_module_find_info(const struct wg_cpu_kernel *kernel) {
    for (const struct wg_module_info *info = modules; info != NULL; info = info->next) {
        const struct wg_cpu_kernel *first = info->module->kernels;
        if (kernel >= first && kernel < first + info->module->kernel_count) {
            return &info->kernels[kernel - first];
        }
    }
    return NULL;
}

static bool holds(const void *low, uint64_t bytes, const void *address) {
    uintptr_t first = (uintptr_t)low;
    return low != NULL && (uintptr_t)address >= first && (uintptr_t)address - first < bytes;
}

const void *wg_module_symbol(const struct wg_cpu_variable *variable) {
    return variable->is_managed ? variable->address : variable->shadow;
}

static const void *address_of(const struct wg_cpu_variable *variable) {
    return variable->address;
}

/* The variable that holds the address, where base_of says that it begins. */
static const struct wg_cpu_variable *
find_holder(const void *address, const void *(*base_of)(const struct wg_cpu_variable *)) {
    for (const struct wg_module_info *info = modules; info != NULL; info = info->next) {
        for (uint64_t i = 0; i < info->module->variable_count; i++) {
            const struct wg_cpu_variable *variable = &info->module->variables[i];
            if (holds(base_of(variable), variable->bytes, address)) {
                return variable;
            }
        }
    }
    return NULL;
}

const struct wg_cpu_variable *wg_module_find_symbol(const void *address) {
    return find_holder(address, wg_module_symbol);
}

const struct wg_cpu_variable *wg_module_find_variable(const void *address) {
    return find_holder(address, address_of);
}

void wg_cpu_host_touch(const void *shadow, enum wg_cpu_host_use use,
                       const struct wg_cpu_site *site) {
    static const struct {
        const char *does, *instead;
    } words[] = {
        [WG_HOST_READ] = {"reads", "no kernel writes. Use hipMemcpyFromSymbol"},
        [WG_HOST_WRITE] = {"writes", "no kernel sees. Use hipMemcpyToSymbol"},
        [WG_HOST_TO_KERNEL] = {"hands a kernel the address of",
                               "no kernel can reach. Let the kernel use the variable by its name, "
                               "or take the pointer from hipGetSymbolAddress"},
    };
    const struct wg_cpu_variable *variable = wg_module_find_symbol(shadow);
    if (variable == NULL) {
        return;
    }
    struct wg_finding_record record = wg_finding(
        WG_FINDING_API_MISUSE, WG_SEVERITY_WARNING,
        "Host code %s %s, a %s variable: on a GPU host code has a copy of its own, which %s.",
        words[use].does, variable->name, variable->is_constant ? "__constant__" : "__device__",
        words[use].instead);
    wg_place_set_site(&record.at, site);
    wg_report_finding(&record);
}
