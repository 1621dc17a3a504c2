// libcurl, which is loaded at the first call of a function below.
//
// Programs are not linked with libcurl, because its libraries take as long to load as the rest of a
// start, and many runs fetch nothing. If it cannot be loaded, the process ends.
#ifndef IMGBAKE_CCURL_H
#define IMGBAKE_CCURL_H

#if !__has_include(<curl/curl.h>)
#error "FetchCache needs the headers of libcurl: apt-get install libcurl4-openssl-dev"
#endif

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

/// Initializes libcurl; the flag is a macro with a cast, which Swift does not import.
CURLcode ccurl_global_init(void);

const char *_Nonnull ccurl_version(void);
const curl_version_info_data *_Nullable ccurl_version_info(CURLversion age);
void ccurl_free(void *_Nullable memory);

struct curl_slist *_Nullable ccurl_slist_append(struct curl_slist *_Nullable list,
                                                const char *_Nonnull text);
void ccurl_slist_free_all(struct curl_slist *_Nullable list);

CURL *_Nullable ccurl_easy_init(void);
void ccurl_easy_reset(CURL *_Nonnull easy);
void ccurl_easy_cleanup(CURL *_Nonnull easy);
const char *_Nonnull ccurl_easy_strerror(CURLcode code);

/// Wraps the variadic `curl_easy_setopt`, which Swift cannot call, for options that take a number.
CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value);

/// The same for options that take a string; libcurl copies it.
CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value);

/// The same for options that take a list, which must stay valid until the transfer ends.
CURLcode ccurl_set_list(CURL *_Nonnull easy, CURLoption option,
                        const struct curl_slist *_Nullable list);

/// The same for options that take a pointer.
CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable pointer);

/// The same for options that take a `curl_off_t`.
CURLcode ccurl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value);

/// The same for options that take bytes that libcurl does not change.
CURLcode ccurl_set_bytes(CURL *_Nonnull easy, CURLoption option, const void *_Nullable bytes);

/// Sets the callback for the body and its context.
CURLcode ccurl_set_body_callback(CURL *_Nonnull easy, ccurl_bytes_callback _Nonnull callback,
                                 void *_Nonnull context);

/// Sets the callback for the header lines and its context.
CURLcode ccurl_set_header_callback(CURL *_Nonnull easy, ccurl_bytes_callback _Nonnull callback,
                                   void *_Nonnull context);

/// Sets the callback that opens sockets and its context.
CURLcode ccurl_set_open_socket_callback(CURL *_Nonnull easy,
                                        ccurl_open_socket_callback _Nonnull callback,
                                        void *_Nonnull context);

/// Allows only http and https. libcurl 7.85 added the option that takes names and deprecated the
/// one that takes bits.
CURLcode ccurl_allow_http_only(CURL *_Nonnull easy);

/// Wraps the variadic `curl_easy_getinfo` for values of type `long`; 0 if there is none.
long ccurl_get_long(CURL *_Nonnull easy, CURLINFO info);

/// The same for values of type `curl_off_t`.
curl_off_t ccurl_get_offset(CURL *_Nonnull easy, CURLINFO info);

/// The same for strings, which the handle owns.
const char *_Nullable ccurl_get_string(CURL *_Nonnull easy, CURLINFO info);

/// The file of the certificate authorities that libcurl trusts; NULL before 7.84, which does not
/// report it.
const char *_Nullable ccurl_get_authorities(CURL *_Nonnull easy);

CURLSH *_Nullable ccurl_share_init(void);
CURLSHcode ccurl_share_cleanup(CURLSH *_Nonnull share);

/// Makes all handles of a share use the same cookies. The handles must be used on one thread.
CURLSHcode ccurl_share_cookies(CURLSH *_Nonnull share);

CURLM *_Nullable ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *_Nonnull multi);
CURLMcode ccurl_multi_add_handle(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_remove_handle(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_perform(CURLM *_Nonnull multi, int *_Nonnull running);
CURLMcode ccurl_multi_poll(CURLM *_Nonnull multi, struct curl_waitfd *_Nullable extra,
                           unsigned int extra_count, int milliseconds, int *_Nullable ready);
CURLMcode ccurl_multi_wakeup(CURLM *_Nonnull multi);
CURLMsg *_Nullable ccurl_multi_info_read(CURLM *_Nonnull multi, int *_Nonnull remaining);
const char *_Nonnull ccurl_multi_strerror(CURLMcode code);

/// Wraps the variadic `curl_multi_setopt` for options that take a number.
CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

CURLU *_Nullable ccurl_url(void);
void ccurl_url_cleanup(CURLU *_Nonnull url);
CURLUcode ccurl_url_get(CURLU *_Nonnull url, CURLUPart part, char *_Nullable *_Nonnull content,
                        unsigned int flags);
CURLUcode ccurl_url_set(CURLU *_Nonnull url, CURLUPart part, const char *_Nullable content,
                        unsigned int flags);

/// Basic authentication; a function because Swift does not import macros with a cast.
static inline long ccurl_auth_basic(void) { return (long) CURLAUTH_BASIC; }

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
