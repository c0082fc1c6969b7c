#include "grader/build/imports.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/build/source.h"

enum { NAME_BYTES = 200 };

/* ---- Reading a library ---- */

/* The file is made by a linker of ours from an object of a hostile source, so every offset in it is
 * checked. Relocations and not the symbol table's flags say what the loader will look up. */
struct library {
    const uint8_t *bytes;
    size_t len;
    Elf64_Ehdr header;
};

static bool take(const struct library *library, uint64_t offset, void *out, size_t bytes) {
    if (offset > library->len || bytes > library->len - offset) {
        return false;
    }
    memcpy(out, library->bytes + offset, bytes);
    return true;
}

static bool segment(const struct library *library, size_t index, Elf64_Phdr *out) {
    return index < library->header.e_phnum &&
           take(library, library->header.e_phoff + index * sizeof *out, out, sizeof *out);
}

/* Where an address of the loaded library lies in the file. */
static bool file_offset(const struct library *library, uint64_t address, uint64_t *out) {
    Elf64_Phdr load;
    for (size_t i = 0; segment(library, i, &load); i++) {
        if (load.p_type == PT_LOAD && address >= load.p_vaddr &&
            address - load.p_vaddr < load.p_filesz) {
            *out = load.p_offset + (address - load.p_vaddr);
            return true;
        }
    }
    return false;
}

struct dynamic {
    uint64_t symbols, strings, strings_bytes;
    struct {
        uint64_t address, bytes;
    } relocations[2]; /* of data, of calls */
};

static bool read_dynamic(const struct library *library, struct dynamic *out) {
    Elf64_Phdr found;
    size_t index = 0;
    while (segment(library, index, &found) && found.p_type != PT_DYNAMIC) {
        index++;
    }
    if (!segment(library, index, &found)) {
        return false;
    }
    Elf64_Dyn entry;
    for (uint64_t at = 0;
         at < found.p_filesz && take(library, found.p_offset + at, &entry, sizeof entry) &&
         entry.d_tag != DT_NULL;
         at += sizeof entry) {
        uint64_t value = entry.d_un.d_val;
        switch (entry.d_tag) {
        case DT_SYMTAB:
            out->symbols = value;
            break;
        case DT_STRTAB:
            out->strings = value;
            break;
        case DT_STRSZ:
            out->strings_bytes = value;
            break;
        case DT_RELA:
            out->relocations[0].address = value;
            break;
        case DT_RELASZ:
            out->relocations[0].bytes = value;
            break;
        case DT_JMPREL:
            out->relocations[1].address = value;
            break;
        case DT_PLTRELSZ:
            out->relocations[1].bytes = value;
            break;
        case DT_REL: /* not on this machine */
            return false;
        default:
            break;
        }
    }
    return out->symbols != 0 && out->strings != 0;
}

static bool add_name(const struct library *library, const struct dynamic *dynamic,
                     uint32_t symbol_index, struct wg_buf *out) {
    Elf64_Sym symbol;
    uint64_t symbols = 0;
    uint64_t strings = 0;
    if (!file_offset(library, dynamic->symbols, &symbols) ||
        !file_offset(library, dynamic->strings, &strings) ||
        !take(library, symbols + (uint64_t)symbol_index * sizeof symbol, &symbol, sizeof symbol)) {
        return false;
    }
    if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) {
        return true;
    }
    if (symbol.st_name >= dynamic->strings_bytes || strings > library->len ||
        dynamic->strings_bytes > library->len - strings) {
        return false;
    }
    const char *name = (const char *)library->bytes + strings + symbol.st_name;
    size_t len = strnlen(name, dynamic->strings_bytes - symbol.st_name);
    wg_buf_add(out, name, len);
    wg_buf_puts(out, "\n");
    return true;
}

enum wg_code wg_imports_read(const void *bytes, size_t len, struct wg_buf *out,
                             struct wg_err *err) {
    struct library library = {.bytes = bytes, .len = len};
    struct dynamic dynamic = {0};
    bool is_fine = take(&library, 0, &library.header, sizeof library.header) &&
                   memcmp(library.header.e_ident, ELFMAG, SELFMAG) == 0 &&
                   library.header.e_ident[EI_CLASS] == ELFCLASS64 &&
                   library.header.e_phentsize == sizeof(Elf64_Phdr) &&
                   read_dynamic(&library, &dynamic);
    uint32_t last = 0; /* the same name is often referred to in a row */
    for (size_t list = 0; is_fine && list < 2; list++) {
        uint64_t start = 0;
        uint64_t bytes_left = dynamic.relocations[list].bytes;
        is_fine =
            bytes_left == 0 || file_offset(&library, dynamic.relocations[list].address, &start);
        Elf64_Rela relocation;
        for (uint64_t at = 0; is_fine && at < bytes_left; at += sizeof relocation) {
            is_fine = take(&library, start + at, &relocation, sizeof relocation);
            uint32_t symbol = is_fine ? (uint32_t)ELF64_R_SYM(relocation.r_info) : 0;
            if (symbol != 0 && symbol != last) {
                is_fine = add_name(&library, &dynamic, symbol, out);
                last = symbol;
            }
        }
    }
    return is_fine ? WG_OK
                   : wg_fail(err, WG_EPROTO, "the compiled library cannot be read as an ELF file");
}

/* ---- What may be imported ---- */

static const char threads[] = "which starts another thread: all work belongs into kernels that run "
                              "while the function is called";
static const char processes[] = "which starts another program or process";
static const char loading[] =
    "which loads libraries or looks up functions behind the grader's back";
static const char mapping[] = "which changes the process's memory map";
static const char descriptors[] = "which works on open files of the process: print with printf or "
                                  "std::cout";
static const char signals[] = "which changes signals or timers of the process";
static const char systems[] = "which reaches past the C library";
static const char unknown[] = "which is none of the functions that a submission may use";

/* For the words only: what is in neither list is refused as well. A name ends in '*' where only its
 * beginning counts. */
static const struct {
    const char *names, *words;
} refused[] = {
    {"pthread_create thrd_create _ZNSt6thread* _ZNSt7jthread* _ZNSt15__thread_pool* GOMP_* "
     "__kmpc_* omp_* timer_create pthread_setaffinity* sched_set*",
     threads},
    {"fork vfork execve execv execvp execvpe execl execlp execle fexecve system popen posix_spawn* "
     "wait waitpid wait3 wait4 waitid kill killpg clone pthread_kill pthread_cancel daemon",
     processes},
    {"dlopen dlsym dlvsym dlmopen dladdr* dlinfo dlclose dl_iterate_phdr _dl_* _r_debug "
     "cudaGetDriverEntryPoint* hipGetProcAddress* cudaGetExportTable",
     loading},
    {"mmap mmap64 munmap mprotect mremap madvise pkey_* shm_* memfd_create process_vm_* brk sbrk "
     "mlock* remap_file_pages shmat shmget",
     mapping},
    {"open open64 openat openat64 creat close close_range read write pread* pwrite* readv writev "
     "dup dup2 dup3 fcntl fcntl64 ioctl socket socketpair connect bind listen accept* send* recv* "
     "pipe pipe2 fdopen poll ppoll select epoll_* eventfd dprintf vdprintf __dprintf_chk sendfile "
     "splice lseek* ftruncate* "
     "_ZNSt12__basic_file*",
     descriptors},
    {"signal sigaction sigprocmask pthread_sigmask sigaltstack raise alarm ualarm setitimer "
     "__sysv_signal bsd_signal sigqueue sigsuspend sigwait*",
     signals},
    {"syscall ptrace prctl arch_prctl personality getauxval setenv putenv unsetenv clearenv "
     "environ __environ clock_settime settimeofday adjtimex setrlimit* setuid setgid",
     systems},
};

/* Coursework: the C and C++ runtime, clocks and sleeping, locks (std::mutex, std::call_once), HIP.
 */
static const char *const allowed[] = {
    /* C++ and the compiler */
    "_Z* __cxa_* __gxx_personality_v0 _Unwind_* __dynamic_cast __dso_handle _ITM_* __gmon_start__ "
    "__stack_chk_fail __tls_get_addr __libc_single_threaded _GLOBAL_OFFSET_TABLE_ __popcountdi2 "
    "__udivti3 __divti3 __umodti3 __modti3 __multi3 __powi?f2 __mul?c3 __div?c3 __ext* __trunc* "
    "__once_proxy atomic_flag_* __atomic_* __emutls_* __float* __fix* __gnu_* __gcc_personality_v0 "
    "__clz?i2 __ctz?i2 __udivmodti4",
    /* stdio.h */
    "stdin stdout stderr printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf "
    "asprintf vasprintf puts fputs putchar putc fputc getchar getc fgetc fgets ungetc gets "
    "scanf fscanf sscanf vscanf vfscanf vsscanf __isoc99_* __isoc23_* fopen fopen64 freopen "
    "freopen64 fclose fflush fread fwrite fseek fseeko fseeko64 ftell ftello ftello64 rewind feof "
    "ferror clearerr perror remove rename tmpfile setvbuf setbuf setlinebuf fileno isatty getline "
    "getdelim fgetpos* fsetpos* wprintf fwprintf swprintf vwprintf vfwprintf vswprintf ungetwc "
    "fwide putw __overflow __uflow __printf_chk __fprintf_chk __sprintf_chk "
    "__snprintf_chk __vprintf_chk __vfprintf_chk __vsprintf_chk __vsnprintf_chk __fgets_chk "
    "__fread_chk",
    /* stdlib.h */
    "malloc calloc realloc free aligned_alloc posix_memalign memalign valloc reallocarray "
    "malloc_usable_size abort exit _exit _Exit quick_exit at_quick_exit atexit __cxa_atexit getenv "
    "secure_getenv atoi atol atoll atof strtol strtoll strtoul strtoull strtof strtod strtold "
    "qsort qsort_r bsearch lfind lsearch tsearch tfind imaxabs imaxdiv abs labs llabs div ldiv "
    "lldiv rand srand rand_r random srandom "
    "random_r srandom_r initstate drand48 erand48 lrand48 nrand48 mrand48 jrand48 srand48 seed48 "
    "drand48_r srand48_r mblen mbtowc wctomb mbstowcs wcstombs __strto*_internal arc4random*",
    /* string.h, strings.h, ctype.h, wchar.h, locale.h */
    "mem* str* stp* bcopy bzero bcmp ffs ffsl ffsll index rindex __mem*_chk __str*_chk __stp*_chk "
    "__rawmemchr basename __xpg_basename __xpg_strerror_r is* to* __ctype_* wc* wmem* btowc wctob "
    "wcrtomb mbrtowc mbrlen mbsrtowcs mbsinit fput* fget* putw* getw* setlocale localeconv "
    "newlocale freelocale uselocale nl_langinfo*",
    /* assert.h, errno.h, setjmp.h, getopt.h, sys/time.h, time.h, unistd.h */
    "__assert_fail __assert_perror_fail __assert __errno_location _setjmp setjmp __sigsetjmp "
    "longjmp _longjmp siglongjmp __longjmp_chk getopt getopt_long getopt_long_only optarg optind "
    "opterr optopt time clock clock_gettime clock_getres gettimeofday timespec_get difftime mktime "
    "timegm gmtime gmtime_r localtime localtime_r asctime asctime_r ctime ctime_r strftime times "
    "ftime usleep sleep nanosleep clock_nanosleep sched_yield getpid getcwd gethostname sysconf "
    "getpagesize getrusage access stat stat64 fstat fstat64 __xstat __fxstat uname get_nprocs* "
    "error program_invocation_short_name backtrace*",
    /* locks; no thread can be started that would need them */
    "pthread_mutex* pthread_once pthread_key_* __pthread_key_create pthread_getspecific "
    "pthread_setspecific pthread_cond_* pthread_rwlock_* pthread_self pthread_equal "
    "pthread_spin_* mtx_* call_once cnd_* sem_*",
    /* math.h, complex.h, fenv.h */
    "acos* asin* atan* cos* sin* tan* exp exp2* exp10* expm1* expf* expl log log2* log10* log1p* "
    "logf* logl logb* pow powf* powl sqrt* cbrt* hypot* erf* lgamma* tgamma* gamma* __gamma* "
    "cacos* casin* catan* ccos* csin* ctan* cexp* clog* cpow* csqrt* ceil* floor* trunc trunc?f "
    "truncf* truncl round* nearbyint* rint* lrint* lround* llrint* llround* fabs* fma* fmin* fmax* "
    "fmod* fdim* remainder* remquo* nextafter* nexttoward* nextdown* nextup* copysign* "
    "scalb* frexp* modf* ldexp* ilogb* nan* signgam significand* drem* j0* j1* jn* "
    "finite* pow10* canonicalize* y0* y1* yn* c?bs* creal* cimag* carg* conj* cproj* __fpclassify* "
    "__signbit* __isinf* __isnan* "
    "__finite* __issignaling* __iseqsig* fe*except* feget* feset* fehold* feupdate* __*_finite",
    /* HIP, and what it is made of on each platform */
    "hip* __hip* cuda* __cuda* wg_self wg_cpu_* wg_check_* roctx*",
};

static bool name_fits(const char *pattern, size_t pattern_len, const char *name, size_t len) {
    size_t p = 0;
    size_t n = 0;
    size_t star = SIZE_MAX;
    size_t resume = 0;
    while (n < len) {
        if (p < pattern_len && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern_len && (pattern[p] == '?' || pattern[p] == name[n])) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern_len && pattern[p] == '*') {
        p++;
    }
    return p == pattern_len;
}

static bool is_listed(const char *list, const char *name, size_t len) {
    while (*list != '\0') {
        size_t pattern_len = strcspn(list, " ");
        if (name_fits(list, pattern_len, name, len)) {
            return true;
        }
        list += pattern_len + strspn(list + pattern_len, " ");
    }
    return false;
}

const char *wg_imports_doubt(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (is_listed(refused[i].names, name, len)) {
            return refused[i].words;
        }
    }
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        if (is_listed(allowed[i], name, len)) {
            return NULL;
        }
    }
    return unknown;
}

char *wg_imports_refuse(const char *file_name, const char *source, size_t source_len,
                        const char *names, bool may_load) {
    while (*names != '\0') {
        size_t len = strcspn(names, "\n");
        const char *doubt = wg_imports_doubt(names, len);
        if (doubt != NULL && !(may_load && doubt == loading)) {
            WG_CLEANUP(wg_freep) char *symbol = wg_text_clean(names, len, NAME_BYTES);
            WG_CLEANUP(wg_freep) char *name = wg_source_plain_name(symbol);
            int line = wg_source_find_word(source, source_len, name);
            WG_CLEANUP(wg_freep) char *place = line > 0 ? wg_strf("line %d", line) : NULL;
            return wg_strf("%s%s%s uses %s, %s", file_name, place ? ", " : "", place ? place : "",
                           name, doubt);
        }
        names += len + (names[len] == '\n');
    }
    return NULL;
}
