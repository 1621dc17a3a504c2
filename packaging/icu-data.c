// An empty ICU data file, which replaces the 33 MB of Foundation.
//
// Foundation is linked because GRDB and Yams import it. They use ICU only for regular expressions,
// whose tables are compiled into ICU's code. The data is for names of languages, formats of dates
// and numbers, collation and converters, which imgbake does not use. ICU returns
// U_MISSING_RESOURCE_ERROR for missing data.
//
// The layout is that of ICU's source/stubdata/stubdata.cpp. ENTRY_POINT is the symbol that this ICU
// links to, such as icudt76_dat.

#include <stdint.h>

struct data {
    uint16_t header_size;
    uint8_t magic[2];
    // UDataInfo
    uint16_t info_size, reserved_word;
    uint8_t is_big_endian, charset_family, char_size, reserved_byte;
    uint8_t format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    // The table of contents: no entry.
    uint32_t count, reserved;
    int32_t names_and_data[4];
};

__attribute__((aligned(16))) const struct data ENTRY_POINT = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .char_size = 2,
    .format = {'T', 'o', 'C', 'P'},
    .format_version = {1, 0, 0, 0},
};
