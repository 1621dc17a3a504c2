#ifndef IMGBAKE_CDEFLATE_SHIM_H
#define IMGBAKE_CDEFLATE_SHIM_H

#include <libdeflate.h>

#endif
