#ifndef IMGBAKE_CLITTLECMS_SHIM_H
#define IMGBAKE_CLITTLECMS_SHIM_H

#include <lcms2.h>

#endif
