#ifndef IMGBAKE_CXML_SHIM_H
#define IMGBAKE_CXML_SHIM_H

#include <iconv.h>
#include <libxml/xmlreader.h>

/// Wraps `xmlReaderForMemory`, whose options Swift imports as an enumeration. The reader uses no
/// network, prints no messages, loads no DTD and expands no entities.
static inline xmlTextReaderPtr _Nullable cxml_reader(const char *_Nonnull bytes, int count) {
    return xmlReaderForMemory(bytes, count, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
}

/// Loads the converters of a character encoding from and to UTF-8; they stay loaded.
static inline void cxml_keep_encoding(const char *_Nonnull name) {
    (void) iconv_open("UTF-8", name);
    (void) iconv_open(name, "UTF-8");
}

#endif
