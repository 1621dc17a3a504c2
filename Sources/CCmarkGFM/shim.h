#ifndef IMGBAKE_CCMARKGFM_SHIM_H
#define IMGBAKE_CCMARKGFM_SHIM_H
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>
#endif
