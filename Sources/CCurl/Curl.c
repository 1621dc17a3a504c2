// Loads libcurl, and passes calls on to it.
//
// No function here has the name of one of libcurl: libcurl would call it instead of its own.

#define _GNU_SOURCE

#include "CCurl.h"
#include "CurlFunctions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

// The functions have the types that libcurl's header declares, so the compiler checks all calls.
#define MEMBER(name) __typeof__(curl_##name) *name;
static struct { CURL_FUNCTIONS(MEMBER) } functions;

// Ends the process with the exit code that it has if a library is missing with which it is linked.
static void fail(void) {
    fprintf(stderr, "%s: error: %s (Debian has it in the package libcurl4, from Debian 13 and Ubuntu "
            "24.04 on libcurl4t64)\n", program_invocation_short_name, dlerror());
    _exit(127);
}

static void load(void) {
    // The library is never unloaded: it keeps state for the whole process.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) fail();
#define FIND(name) \
    functions.name = (__typeof__(functions.name)) dlsym(library, "curl_" #name); \
    if (!functions.name) fail();
    CURL_FUNCTIONS(FIND)
}

// The functions, after libcurl has been loaded.
static __typeof__(functions) *libcurl(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &functions;
}

CURLcode ccurl_global_init(void) { return libcurl()->global_init(CURL_GLOBAL_DEFAULT); }

const char *ccurl_version(void) { return libcurl()->version(); }

const curl_version_info_data *ccurl_version_info(CURLversion age) {
    return libcurl()->version_info(age);
}

void ccurl_free(void *memory) { libcurl()->free(memory); }

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
    return libcurl()->slist_append(list, text);
}

void ccurl_slist_free_all(struct curl_slist *list) { libcurl()->slist_free_all(list); }

CURL *ccurl_easy_init(void) { return libcurl()->easy_init(); }

void ccurl_easy_reset(CURL *easy) { libcurl()->easy_reset(easy); }

void ccurl_easy_cleanup(CURL *easy) { libcurl()->easy_cleanup(easy); }

const char *ccurl_easy_strerror(CURLcode code) { return libcurl()->easy_strerror(code); }

#define SET(easy, option, value) libcurl()->easy_setopt(easy, option, value)

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return SET(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return SET(easy, option, value);
}

CURLcode ccurl_set_list(CURL *easy, CURLoption option, const struct curl_slist *list) {
    return SET(easy, option, list);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return SET(easy, option, pointer);
}

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return SET(easy, option, value);
}

CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *bytes) {
    return SET(easy, option, bytes);
}

CURLcode ccurl_set_body_callback(CURL *easy, ccurl_bytes_callback callback, void *context) {
    CURLcode code = SET(easy, CURLOPT_WRITEFUNCTION, callback);
    return code ? code : SET(easy, CURLOPT_WRITEDATA, context);
}

CURLcode ccurl_set_header_callback(CURL *easy, ccurl_bytes_callback callback, void *context) {
    CURLcode code = SET(easy, CURLOPT_HEADERFUNCTION, callback);
    return code ? code : SET(easy, CURLOPT_HEADERDATA, context);
}

CURLcode ccurl_set_open_socket_callback(CURL *easy, ccurl_open_socket_callback callback,
                                        void *context) {
    CURLcode code = SET(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code ? code : SET(easy, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode ccurl_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return SET(easy, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

#define GET(easy, info, value) libcurl()->easy_getinfo(easy, info, value)

long ccurl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return GET(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t ccurl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return GET(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *ccurl_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return GET(easy, info, &value) == CURLE_OK ? value : NULL;
}

const char *ccurl_get_authorities(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075400
    return ccurl_get_string(easy, CURLINFO_CAINFO);
#else
    (void) easy;
    return NULL;
#endif
}

CURLSH *ccurl_share_init(void) { return libcurl()->share_init(); }

CURLSHcode ccurl_share_cleanup(CURLSH *share) { return libcurl()->share_cleanup(share); }

CURLSHcode ccurl_share_cookies(CURLSH *share) {
    return libcurl()->share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

CURLM *ccurl_multi_init(void) { return libcurl()->multi_init(); }

CURLMcode ccurl_multi_cleanup(CURLM *multi) { return libcurl()->multi_cleanup(multi); }

CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
    return libcurl()->multi_add_handle(multi, easy);
}

CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return libcurl()->multi_remove_handle(multi, easy);
}

CURLMcode ccurl_multi_perform(CURLM *multi, int *running) {
    return libcurl()->multi_perform(multi, running);
}

CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *extra, unsigned int extra_count,
                           int milliseconds, int *ready) {
    return libcurl()->multi_poll(multi, extra, extra_count, milliseconds, ready);
}

CURLMcode ccurl_multi_wakeup(CURLM *multi) { return libcurl()->multi_wakeup(multi); }

CURLMsg *ccurl_multi_info_read(CURLM *multi, int *remaining) {
    return libcurl()->multi_info_read(multi, remaining);
}

const char *ccurl_multi_strerror(CURLMcode code) { return libcurl()->multi_strerror(code); }

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return libcurl()->multi_setopt(multi, option, value);
}

CURLU *ccurl_url(void) { return libcurl()->url(); }

void ccurl_url_cleanup(CURLU *url) { libcurl()->url_cleanup(url); }

CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **content, unsigned int flags) {
    return libcurl()->url_get(url, part, content, flags);
}

CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *content, unsigned int flags) {
    return libcurl()->url_set(url, part, content, flags);
}
