// Includes itself without end.
#include "attack.hip"
