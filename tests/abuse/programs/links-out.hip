// Reaches outside through links that it makes.
static void attack_once() {
    DO("symlink", sys(SYS_symlink, "{CANARY}", "/tmp/link"));
    TRY("read through", get("/tmp/link"));
    TRY("write through", put("/tmp/link"));
    TRY("hard link", sys(86, "{CANARY}", "/tmp/hard"));
    TRY("rename", sys(82, "{CANARY}", "/tmp/stolen"));
    TRY("climb", get("/tmp/../../../../../{CANARY}"));
}
