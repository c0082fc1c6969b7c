// Overwrites the program, the library and the runtime that it runs in.
static void attack_once() {
    TRY("library", put("/job/student.so"));
    TRY("harness", put("/wg/libexec/cpu/harness"));
    TRY("runtime", put("/wg/libexec/cpu/libwghip.so"));
    TRY("exe", put("/proc/self/exe"));
    TRY("init", put("/wg/init"));
    TRY("installed", put("{LIBEXEC}/cpu/libwghip.so"));
}
