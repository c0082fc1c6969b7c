// Defines functions of the harness and of the C library.
extern "C" long recv(int, void*, unsigned long, int) { sys(SYS_exit_group, 0); return 0; }
extern "C" long send(int, const void*, unsigned long, int) { sys(SYS_exit_group, 0); return 0; }
extern "C" void* dlsym(void*, const char*) { return nullptr; }
extern "C" int memcmp(const void*, const void*, unsigned long) { return 0; }
static void attack_once() {}
