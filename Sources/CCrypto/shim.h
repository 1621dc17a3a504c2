#ifndef IMGBAKE_CCRYPTO_SHIM_H
#define IMGBAKE_CCRYPTO_SHIM_H

// The functions of SHA-256 with a state that can be copied are deprecated, and stay in OpenSSL 3.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#endif
