#ifndef IMGBAKE_CCURL_SHIM_H
#define IMGBAKE_CCURL_SHIM_H
#include <curl/curl.h>
#endif
