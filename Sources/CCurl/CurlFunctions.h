// The functions of libcurl that are used, without their prefix `curl_`.
//
// packaging/loaded.c reads the list too, so that packages find libcurl.
#ifndef IMGBAKE_CURL_FUNCTIONS_H
#define IMGBAKE_CURL_FUNCTIONS_H

#define CURL_FUNCTIONS(function) \
    function(global_init) \
    function(version) \
    function(version_info) \
    function(free) \
    function(slist_append) \
    function(slist_free_all) \
    function(easy_init) \
    function(easy_reset) \
    function(easy_cleanup) \
    function(easy_strerror) \
    function(easy_setopt) \
    function(easy_getinfo) \
    function(share_init) \
    function(share_cleanup) \
    function(share_setopt) \
    function(multi_init) \
    function(multi_cleanup) \
    function(multi_add_handle) \
    function(multi_remove_handle) \
    function(multi_perform) \
    function(multi_poll) \
    function(multi_wakeup) \
    function(multi_info_read) \
    function(multi_strerror) \
    function(multi_setopt) \
    function(url) \
    function(url_cleanup) \
    function(url_get) \
    function(url_set)

#endif
