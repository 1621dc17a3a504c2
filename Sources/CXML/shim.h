#ifndef IMGBAKE_CXML_SHIM_H
#define IMGBAKE_CXML_SHIM_H

#include <libxml/xmlreader.h>

/// Wraps `xmlReaderForMemory`, whose options Swift imports as an enumeration. The reader takes the
/// bytes for UTF-8 whatever they say, uses no network, prints no messages, loads no DTD and expands
/// no entities.
static inline xmlTextReaderPtr _Nullable cxml_reader(const char *_Nonnull bytes, int count) {
    return xmlReaderForMemory(bytes, count, NULL, "UTF-8",
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING
                                  | XML_PARSE_IGNORE_ENC);
}

#endif
