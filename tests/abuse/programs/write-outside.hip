// Writes everywhere.
static void attack_once() {
    TRY("canary", put("{CANARY}"));
    TRY("new file", put("{HOME}/owned"));
    TRY("/usr", put("/usr/bin/owned"));
    TRY("/etc", put("/etc/owned"));
    TRY("/", put("/owned"));
    TRY("/dev", put("/dev/owned"));
    TRY("/dev/shm", put("/dev/shm/owned"));
    TRY("/var/tmp", put("/var/tmp/owned"));
}
