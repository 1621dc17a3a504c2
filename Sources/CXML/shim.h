#ifndef IMGBAKE_CXML_SHIM_H
#define IMGBAKE_CXML_SHIM_H

#include <iconv.h>
#include <libxml/xmlreader.h>

/// Wraps `xmlReaderForMemory` with options that Swift knows as values of an enumeration: no network,
/// no message on standard error; nothing that loads a DTD or puts entities in.
static inline xmlTextReaderPtr _Nullable cxml_reader(const char *_Nonnull bytes, int count) {
    return xmlReaderForMemory(bytes, count, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
}

/// Loads the converter of a character encoding, from and to UTF-8, and keeps it for good.
static inline void cxml_keep_encoding(const char *_Nonnull name) {
    (void) iconv_open("UTF-8", name);
    (void) iconv_open(name, "UTF-8");
}

#endif
