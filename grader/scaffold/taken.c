#include "grader/scaffold/taken.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Separated by single spaces. */
static const char *const words[] = {
    /* of an assignment */
    "main golden naive reference starter tuned",
    /* C and C++ */
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq linux unix std assert errno offsetof",
    /* stdio.h */
    "FILE EOF NULL asprintf clearerr dprintf fclose fdopen feof ferror fflush fgetc fgetpos fgets "
    "fileno fopen fprintf fputc fputs fread freopen fscanf fseek fseeko fsetpos ftell ftello "
    "fwrite getc getchar getdelim getline gets getw pclose perror popen printf putc putchar puts "
    "putw remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf stderr stdin stdout "
    "tmpfile tmpnam ungetc vasprintf vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf "
    "vsscanf",
    /* stdlib.h and what it brings */
    "abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit "
    "free getenv labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc mkdtemp mkstemp putenv qsort "
    "quick_exit rand random realloc realpath select setenv setstate srand srandom strtod strtof "
    "strtol strtold strtoll strtoul strtoull system unsetenv wcstombs wctomb clock time difftime",
    /* string.h and strings.h */
    "basename bcmp bcopy bzero ffs ffsl ffsll index memccpy memchr memcmp memcpy memfrob memmem "
    "memmove mempcpy memrchr memset rindex stpcpy stpncpy strcasecmp strcat strchr strchrnul "
    "strcmp strcoll strcpy strcspn strdup strerror strfry strlen strncasecmp strncat strncmp "
    "strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strverscmp "
    "strxfrm swab",
    /* types */
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intmax_t uintmax_t intptr_t "
    "uintptr_t ptrdiff_t size_t ssize_t off_t max_align_t nullptr_t time_t clock_t pid_t va_list "
    "div_t float_t double_t fpos_t uchar ushort uint ulong u_char u_short u_int u_long half half2",
    /* HIP, beside what the families below have */
    "dim3 threadIdx blockIdx blockDim gridDim warpSize clock64 wall_clock64 max min saturate "
    "safeAtomicAdd unsafeAtomicAdd texture textureReference surfaceReference launder",
};

/* With "", "f" and "l" behind them: math.h, and what HIP adds to it. */
static const char math[] =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 "
    "cyl_bessel_i1 drem erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide "
    "finite floor fma fmax fmin fmod frexp gamma hypot ilogb isfinite isinf isnan isnormal j0 j1 "
    "jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint "
    "nextafter nexttoward norm norm3d norm4d normcdf normcdfinv pow pow10 powi rcbrt remainder "
    "remquo rhypot rint rnorm rnorm3d rnorm4d round roundeven rsqrt scalb scalbln scalbn signbit "
    "significand sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn fpclassify "
    "isgreater isgreaterequal isless islessequal islessgreater isunordered signgam";

/* With 1 to 4 behind them. */
static const char vectors[] =
    "char uchar short ushort int uint long ulong longlong ulonglong float double";

static const char *const families[] = {"__",       "hip", "cuda", "atomic",
                                       "pthread_", "tex", "surf", "make_"};

static bool has_word(const char *list, const char *word, size_t len) {
    for (const char *at = list; *at != '\0';) {
        size_t here = strcspn(at, " ");
        if (here == len && memcmp(at, word, len) == 0) {
            return true;
        }
        at += here;
        at += strspn(at, " ");
    }
    return false;
}

static bool has_with_suffix(const char *list, const char *suffixes, const char *name) {
    size_t len = strlen(name);
    return len > 1 && strchr(suffixes, name[len - 1]) != NULL && has_word(list, name, len - 1);
}

/* atomicAdd, tex2D, make_float4; not atomic_sum, texture_blur. */
static bool is_of_family(const char *name) {
    for (size_t i = 0; i < COUNT(families); i++) {
        size_t len = strlen(families[i]);
        if (strncmp(name, families[i], len) != 0) {
            continue;
        }
        char last = families[i][len - 1];
        bool is_capital = name[len] >= 'A' && name[len] <= 'Z';
        bool is_digit = name[len] >= '1' && name[len] <= '3' && name[len + 1] == 'D';
        bool is_vector =
            strcmp(families[i], "make_") != 0 || has_with_suffix(vectors, "1234", name + len);
        if (last == '_' ? is_vector : is_capital || is_digit) {
            return true;
        }
    }
    return false;
}

bool wg_name_is_taken(const char *name) {
    size_t len = strlen(name);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (has_word(words[i], name, len)) {
            return true;
        }
    }
    return has_word(math, name, len) || has_with_suffix(math, "fl", name) ||
           has_with_suffix(vectors, "1234", name) || is_of_family(name);
}
