#ifndef IMGBAKE_CCURL_SHIM_H
#define IMGBAKE_CCURL_SHIM_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x074400
#error "FetchCache needs libcurl 7.68 or later (curl_multi_poll, curl_multi_wakeup): apt-get install libcurl4-openssl-dev"
#endif

/// Receives bytes. Any return value other than `size * count` stops the transfer.
typedef size_t (*ccurl_bytes_callback)(char *_Nullable bytes, size_t size, size_t count,
                                       void *_Nullable context);

/// Opens a socket to an address, or returns CURL_SOCKET_BAD to refuse it.
typedef curl_socket_t (*ccurl_open_socket_callback)(void *_Nullable context, curlsocktype purpose,
                                                    struct curl_sockaddr *_Nullable address);

/// Wraps the variadic `curl_easy_setopt`, which Swift cannot call, for options that take a number.
static inline CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// The same for options that take a string; libcurl copies it.
static inline CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option,
                                        const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

/// The same for options that take a list, which must stay valid until the transfer ends.
static inline CURLcode ccurl_set_list(CURL *_Nonnull easy, CURLoption option,
                                      const struct curl_slist *_Nullable list) {
    return curl_easy_setopt(easy, option, list);
}

/// The same for options that take a pointer.
static inline CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option,
                                         void *_Nullable pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

/// The same for options that take a `curl_off_t`.
static inline CURLcode ccurl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// The same for options that take bytes that libcurl does not change.
static inline CURLcode ccurl_set_bytes(CURL *_Nonnull easy, CURLoption option,
                                       const void *_Nullable bytes) {
    return curl_easy_setopt(easy, option, bytes);
}

/// Sets the callback for the body and its context.
static inline CURLcode ccurl_set_body_callback(CURL *_Nonnull easy,
                                               ccurl_bytes_callback _Nonnull callback,
                                               void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

/// Sets the callback for the header lines and its context.
static inline CURLcode ccurl_set_header_callback(CURL *_Nonnull easy,
                                                 ccurl_bytes_callback _Nonnull callback,
                                                 void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

/// Sets the callback that opens sockets and its context.
static inline CURLcode ccurl_set_open_socket_callback(CURL *_Nonnull easy,
                                                      ccurl_open_socket_callback _Nonnull callback,
                                                      void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

/// Allows only http and https. libcurl 7.85 added the option that takes names and deprecated the
/// one that takes bits.
static inline CURLcode ccurl_allow_http_only(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Wraps the variadic `curl_easy_getinfo` for values of type `long`; 0 if there is none.
static inline long ccurl_get_long(CURL *_Nonnull easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// The same for values of type `curl_off_t`.
static inline curl_off_t ccurl_get_offset(CURL *_Nonnull easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// The same for strings, which the handle owns.
static inline const char *_Nullable ccurl_get_string(CURL *_Nonnull easy, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

/// The file of the certificate authorities that libcurl trusts; NULL before 7.84, which does not
/// report it.
static inline const char *_Nullable ccurl_get_authorities(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075400
    return ccurl_get_string(easy, CURLINFO_CAINFO);
#else
    return NULL;
#endif
}

/// Makes all handles of a share use the same cookies. The handles must be used on one thread.
static inline CURLSHcode ccurl_share_cookies(CURLSH *_Nonnull share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

/// Basic authentication; a function because Swift does not import macros with a cast.
static inline long ccurl_auth_basic(void) { return (long) CURLAUTH_BASIC; }

/// Wraps the variadic `curl_multi_setopt` for options that take a number.
static inline CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option,
                                             long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Initializes libcurl; a function because the flag is a macro with a cast, which Swift does not
/// import.
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/// The flag that makes `curl_url_get` return the ASCII form of a host; 0 before 7.88, which lacks
/// it.
static inline unsigned int ccurl_punycode_flag(void) {
#if LIBCURL_VERSION_NUM >= 0x075800
    return CURLU_PUNYCODE;
#else
    return 0;
#endif
}

/// The address, which can be longer than the declared last member of `curl_sockaddr`. So Swift must
/// not copy that member.
static inline const struct sockaddr *_Nonnull ccurl_socket_address(
    const struct curl_sockaddr *_Nonnull address) {
    return &address->addr;
}

#endif
