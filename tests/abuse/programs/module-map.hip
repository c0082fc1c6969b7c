// Imports modules.
#pragma clang module build owned
module owned {}
#pragma clang module endbuild
#pragma clang module import owned
import <vector>;
static void attack_once() {}
