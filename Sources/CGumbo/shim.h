#ifndef IMGBAKE_CGUMBO_SHIM_H
#define IMGBAKE_CGUMBO_SHIM_H
#include <gumbo.h>
#endif
