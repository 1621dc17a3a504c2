#ifndef IMGBAKE_CVIPS_SHIM_H
#define IMGBAKE_CVIPS_SHIM_H
#include <vips/vips.h>
#endif
