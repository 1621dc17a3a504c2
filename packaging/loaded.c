// Needs the functions that the command takes from libcurl at run time, so that tools for packages
// find libcurl and its version as they find the libraries that a program is linked with.
#include <curl/curl.h>

#include "../Sources/CCurl/CurlFunctions.h"

#define ADDRESS(name) (void *) curl_##name,
void *const loaded_functions[] = {CURL_FUNCTIONS(ADDRESS)};
