// Looks for the references and for the golden results.
static void attack_once() {
    TRY("reference", get("{ASSIGNMENT}/reference/golden.c"));
    TRY("share", get("/wg/share/reference/vector_add/golden.c"));
    TRY("golden", get("/job/golden.so"));
    TRY("listing", sys(SYS_open, "/job", 0200000, 0) < 0 ? -1 : get("/job/src"));
    TRY("other jobs", get("/tmp/wavegrade-job"));
}
