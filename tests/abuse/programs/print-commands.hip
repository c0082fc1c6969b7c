// Prints commands that CI systems obey, and spreadsheet formulas.
static void attack_once() {
    std::printf("::error::owned\n::set-output name=x::y\n##[error]owned\n=cmd|'/c calc'!A1\n+1\n@SUM(1)\n-1\n");
}
