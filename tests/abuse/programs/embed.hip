// Embeds files of the machine.
static const unsigned char secret[] = {
#embed "/etc/passwd"
};
static const unsigned char other[] = {
#embed "{CANARY}" limit(64)
};
static void attack_once() { std::printf("%.64s%.64s\n", secret, other); }
