// Puts markup into the names of files and functions that messages repeat.
#include "<script>alert(1)<script>=1+1|`::error::owned`.h"
static void attack_once() {}
