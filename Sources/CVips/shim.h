#ifndef IMGBAKE_CVIPS_SHIM_H
#define IMGBAKE_CVIPS_SHIM_H

#include <gio/gio.h>
#include <gmodule.h>
#include <link.h>
#include <vips/vips.h>

#if VIPS_MAJOR_VERSION < 8 || (VIPS_MAJOR_VERSION == 8 && VIPS_MINOR_VERSION < 14)
#error "imgbake needs libvips 8.14 or later: apt-get install libvips-dev"
#endif

// libvips renamed the option that keeps EXIF, XMP, IPTC and profiles out of a file.
#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 15
#define CVIPS_STRIP "keep", VIPS_FOREIGN_KEEP_NONE
#else
#define CVIPS_STRIP "strip", TRUE
#endif

/// Wraps the macro `VIPS_INIT`, which also checks that the library matches these headers.
static inline int cvips_init(const char *_Nonnull name) { return VIPS_INIT(name); }

/// Wraps `g_object_unref`, which takes an untyped pointer.
static inline void cvips_unref_image(VipsImage *_Nonnull image) { g_object_unref(image); }

/// Wraps the variadic `vips_copy`: an image with the same pixels and fields of its own.
static inline int cvips_copy(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    return vips_copy(image, out, NULL);
}

/// Wraps `g_object_unref`, which takes an untyped pointer.
static inline void cvips_unref_source(VipsSource *_Nonnull source) { g_object_unref(source); }

/// Wraps the variadic `vips_call`, which runs only the named loader.
///
/// `pages` is -1 for all pages, and 0 for a loader without this option.
static inline int cvips_load(const char *_Nonnull loader, VipsSource *_Nonnull source, int pages,
                             VipsImage *_Nullable *_Nonnull out) {
    if (pages == 0)
        return vips_call(loader, source, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                         VIPS_FAIL_ON_ERROR, NULL);
    return vips_call(loader, source, out, "n", pages, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                     VIPS_FAIL_ON_ERROR, NULL);
}

/// Wraps the variadic `vips_svgload_source`.
static inline int cvips_load_svg(VipsSource *_Nonnull source, double scale,
                                 VipsImage *_Nullable *_Nonnull out) {
    return vips_svgload_source(source, out, "scale", scale, NULL);
}

/// Wraps the variadic `vips_thumbnail_source`: scales down to `width` and turns upright.
///
/// `options` are passed to the loader. libvips 8.14 does not pass the operation's own `fail_on` to
/// the loader of a source, so `options` must contain it. `profile` is the profile to convert to, or
/// NULL to apply no embedded profile; `intent` is the rendering intent. With `stays`, the image is
/// not turned.
static inline int cvips_thumbnail(VipsSource *_Nonnull source, int width,
                                  const char *_Nonnull options, const char *_Nullable profile,
                                  VipsIntent intent, int stays,
                                  VipsImage *_Nullable *_Nonnull out) {
    if (profile)
        return vips_thumbnail_source(source, out, width, "height", VIPS_MAX_COORD, "size",
                                     VIPS_SIZE_DOWN, "option_string", options, "no_rotate", stays,
                                     "export_profile", profile, "intent", intent, NULL);
    return vips_thumbnail_source(source, out, width, "height", VIPS_MAX_COORD, "size",
                                 VIPS_SIZE_DOWN, "option_string", options, "no_rotate", stays,
                                 NULL);
}

/// Wraps the variadic `vips_thumbnail_image`, which does the same with a loaded image.
static inline int cvips_thumbnail_image(VipsImage *_Nonnull image, int width,
                                        const char *_Nullable profile, VipsIntent intent,
                                        VipsImage *_Nullable *_Nonnull out) {
    if (profile)
        return vips_thumbnail_image(image, out, width, "height", VIPS_MAX_COORD, "size",
                                    VIPS_SIZE_DOWN, "export_profile", profile, "intent", intent,
                                    NULL);
    return vips_thumbnail_image(image, out, width, "height", VIPS_MAX_COORD, "size",
                                VIPS_SIZE_DOWN, NULL);
}

/// Wraps the variadic `vips_autorot` and `vips_smartcrop`: the part of the image, turned upright, that
/// draws the eye.
static inline int cvips_crop(VipsImage *_Nonnull image, int width, int height,
                             VipsImage *_Nullable *_Nonnull out) {
    VipsImage *upright = NULL;
    if (vips_autorot(image, &upright, NULL)) return -1;
    int code = vips_smartcrop(upright, out, width, height, "interesting",
                              VIPS_INTERESTING_ATTENTION, NULL);
    g_object_unref(upright);
    return code;
}

/// Wraps `vips_colourspace` and `vips_addalpha`: 8-bit sRGB with an alpha channel.
static inline int cvips_rgba(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    VipsImage *colour = NULL, *bytes = NULL;
    int code = vips_colourspace(image, &colour, VIPS_INTERPRETATION_sRGB, NULL);
    if (code == 0) code = vips_cast_uchar(colour, &bytes, NULL);
    if (code == 0)
        code = vips_image_hasalpha(bytes) ? vips_copy(bytes, out, NULL)
                                          : vips_addalpha(bytes, out, NULL);
    if (bytes) g_object_unref(bytes);
    if (colour) g_object_unref(colour);
    return code;
}

/// A new image in memory, whose samples of 8 or 16 bits the caller writes: grey or RGB, with alpha or
/// without; NULL if there is not enough memory.
static inline VipsImage *_Nullable cvips_canvas(int width, int height, int bands, int is_deep) {
    VipsImage *image = vips_image_new_memory();
    if (!image) return NULL;
    vips_image_init_fields(
        image, width, height, bands, is_deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR,
        VIPS_CODING_NONE,
        bands > 2 ? is_deep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
        : is_deep ? VIPS_INTERPRETATION_GREY16
                  : VIPS_INTERPRETATION_B_W,
        1, 1);
    if (vips_image_write_prepare(image) == 0) return image;
    g_object_unref(image);
    return NULL;
}

/// The image with a colour profile embedded, and in colours if `in_colour`.
static inline int cvips_attach_profile(VipsImage *_Nonnull image, const void *_Nullable bytes,
                                       size_t count, int in_colour,
                                       VipsImage *_Nullable *_Nonnull out) {
    VipsImage *samples = NULL;
    // 16 bits stay 16 bits.
    VipsInterpretation space = vips_image_get_format(image) == VIPS_FORMAT_USHORT
                                   ? VIPS_INTERPRETATION_RGB16
                                   : VIPS_INTERPRETATION_sRGB;
    if (in_colour ? vips_colourspace(image, &samples, space, NULL)
                  : vips_copy(image, &samples, NULL))
        return -1;
    int code = vips_copy(samples, out, NULL);
    g_object_unref(samples);
    if (code == 0) vips_image_set_blob_copy(*out, VIPS_META_ICC_NAME, bytes, count);
    return code;
}

/// The 8-bit CMYK image in RGB, each colour multiplied by black, as browsers convert it.
static inline int cvips_plain_cmyk(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    VipsImage *stages[6] = {NULL};
    int code = vips_invert(image, &stages[0], NULL) ||
               vips_extract_band(stages[0], &stages[1], 0, "n", 3, NULL) ||
               vips_extract_band(stages[0], &stages[2], 3, NULL) ||
               vips_multiply(stages[1], stages[2], &stages[3], NULL) ||
               vips_linear1(stages[3], &stages[4], 1.0 / 255, 0, NULL) ||
               vips_rint(stages[4], &stages[5], NULL);
    VipsImage *bytes = NULL;
    code = code || vips_cast_uchar(stages[5], &bytes, NULL);
    code = code || vips_copy(bytes, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
    if (bytes) g_object_unref(bytes);
    for (int stage = 0; stage < 6; stage++)
        if (stages[stage]) g_object_unref(stages[stage]);
    if (code == 0) vips_image_remove(*out, VIPS_META_ICC_NAME);
    return code ? -1 : 0;
}

/// The image in sRGB by its embedded profile, which scaling does not apply to CMYK (libvips 8.14).
static inline int cvips_standard(VipsImage *_Nonnull image, VipsIntent intent,
                                 VipsImage *_Nullable *_Nonnull out) {
    if (vips_icc_transform(image, out, "srgb", "embedded", TRUE, "intent", intent, NULL)) return -1;
    vips_image_remove(*out, VIPS_META_ICC_NAME);
    return 0;
}

/// Computes all pixels in order without storing them.
static inline int cvips_read(VipsImage *_Nonnull image) {
    double average = 0;
    return vips_avg(image, &average, NULL);
}

/// Wraps the variadic `vips_black`.
static inline int cvips_black(int width, int height, VipsImage *_Nullable *_Nonnull out) {
    return vips_black(out, width, height, NULL);
}

/// Wraps the variadic `vips_reducev`, by an eighth.
static inline int cvips_reduce(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    return vips_reducev(image, out, 8.0 / 7, NULL);
}

/// Wraps the variadic `vips_flatten`, onto white.
static inline int cvips_flatten(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
    int code = vips_flatten(image, out, "background", white, NULL);
    vips_area_unref(VIPS_AREA(white));
    return code;
}

/// The 8-bit image with alpha, in colours or grey, without colours darker than 2, 2, 2.
static inline int cvips_raise_black(VipsImage *_Nonnull image,
                                    VipsImage *_Nullable *_Nonnull out) {
    VipsImage *stages[6] = {NULL};
    double lowest[] = {2, 2, 2};
    int count = MIN(vips_image_get_bands(image) - 1, 3);
    int code = vips_extract_band(image, &stages[0], 0, "n", count, NULL) ||
               vips_extract_band(image, &stages[1], count, NULL) ||
               vips_less_const1(stages[0], &stages[2], lowest[0], NULL) ||
               vips_bandand(stages[2], &stages[3], NULL) ||
               !(stages[4] = vips_image_new_from_image(stages[0], lowest, count)) ||
               vips_ifthenelse(stages[3], stages[4], stages[0], &stages[5], NULL) ||
               vips_bandjoin2(stages[5], stages[1], out, NULL);
    for (int stage = 0; stage < 6; stage++)
        if (stages[stage]) g_object_unref(stages[stage]);
    return code ? -1 : 0;
}

/// Runs the named saver with options in the notation of libvips, as in `Q=80,effort=4`.
///
/// If `keeps` is 0, the metadata of the image is not written.
///
/// The caller frees the bytes with `g_free`. This does the same as the variadic
/// `vips_jpegsave_buffer` and similar functions.
static inline int cvips_save(const char *_Nonnull saver, const char *_Nonnull options,
                             VipsImage *_Nonnull image, int keeps,
                             void *_Nullable *_Nonnull bytes, size_t *_Nonnull count) {
    VipsOperation *operation = vips_operation_new(saver);
    if (!operation) return -1;
    g_object_set(operation, "in", image, NULL);
    if (!keeps) g_object_set(operation, CVIPS_STRIP, NULL);
    int code = *options ? vips_object_set_from_string(VIPS_OBJECT(operation), options) : 0;
    if (code == 0) code = vips_cache_operation_buildp(&operation);
    if (code == 0) {
        VipsArea *area = NULL;
        g_object_get(operation, "buffer", &area, NULL);
        if (area) {
            *bytes = area->data;
            *count = area->length;
            area->free_fn = NULL;
            vips_area_unref(area);
        }
        vips_object_unref_outputs(VIPS_OBJECT(operation));
    }
    g_object_unref(operation);
    return code;
}

/// Decompresses the gzip or zlib stream in `bytes` to `result`, which has room for `most` bytes.
///
/// Returns the number of bytes; `most` if there are at least that many, -1 if the stream is
/// damaged.
static inline gssize cvips_inflate(const void *_Nullable bytes, gsize count, void *_Nullable result,
                                   gsize most, int is_gzip) {
    GConverter *converter = G_CONVERTER(g_zlib_decompressor_new(
        is_gzip ? G_ZLIB_COMPRESSOR_FORMAT_GZIP : G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
    const char *input = (const char *) bytes;
    char *output = (char *) result;
    gsize done = 0;
    GConverterResult state = G_CONVERTER_CONVERTED;
    while (state == G_CONVERTER_CONVERTED && done < most) {
        gsize read = 0, written = 0;
        state = g_converter_convert(converter, input, count, output + done, most - done,
                                    G_CONVERTER_INPUT_AT_END, &read, &written, NULL);
        input += read;
        count -= read;
        done += written;
    }
    g_object_unref(converter);
    return state == G_CONVERTER_ERROR ? -1 : (gssize) done;
}

/// The path of this process's shared library with this index, or NULL if there are fewer.
///
/// Reads the list that the dynamic linker keeps for debuggers, because Swift does not import
/// `dl_iterate_phdr`, and a process that is not dumpable cannot read /proc/self/maps.
static inline const char *_Nullable cvips_library(int index) {
    const struct link_map *library = _r_debug.r_map;
    while (library && index-- > 0) library = library->l_next;
    return library ? library->l_name : NULL;
}

/// Loads the codecs of libheif that are separate files.
///
/// The function is looked up by name, because this package does not use the headers of libheif.
/// libvips or its module has loaded the library.
static inline void cvips_load_heif_plugins(void) {
    struct cvips_heif_error {
        int code, subcode;
        const char *message;
    };
    struct cvips_heif_error (*init)(void *) = NULL;
    GModule *all = g_module_open(NULL, G_MODULE_BIND_LAZY);
    if (all && g_module_symbol(all, "heif_init", (gpointer *) &init) && init) init(NULL);
    if (all) g_module_close(all);
}

/// Whether this libvips has an operation of that name.
static inline int cvips_has_operation(const char *_Nonnull name) {
    return vips_type_find("VipsOperation", name) != 0;
}

/// Makes the class of an operation, if there is one of that name; libvips does so at its first use.
static inline void cvips_make_class(const char *_Nonnull name) {
    GType type = vips_type_find("VipsOperation", name);
    if (type != 0) g_type_class_ref(type);
}

/// Whether libheif has a codec for a compression, by the number in its `heif_compression_format`;
/// `function` is `heif_have_decoder_for_format` or `heif_have_encoder_for_format`.
static inline int cvips_heif_has(const char *_Nonnull function, int compression) {
    int (*has)(int) = NULL;
    GModule *all = g_module_open(NULL, G_MODULE_BIND_LAZY);
    int answer = all && g_module_symbol(all, function, (gpointer *) &has) && has && has(compression);
    if (all) g_module_close(all);
    return answer;
}

/// Writes the paths of up to `most` fonts to `paths`, and returns their number. Fonts of the
/// generic families come first, then fonts for other scripts. The caller frees the paths.
///
/// The functions are looked up by name, because this package does not use the headers of
/// fontconfig. librsvg has loaded the library. Their types have not changed since fontconfig 2.0.
static inline int cvips_font_files(char *_Nullable *_Nonnull paths, int most) {
    struct cvips_font_set {
        int count, room;
        void **fonts;
    };
    void *(*create)(void) = NULL;
    int (*add_string)(void *, const char *, const char *) = NULL;
    int (*add_integer)(void *, const char *, int) = NULL;
    int (*substitute)(void *, void *, int) = NULL;
    void (*substitute_defaults)(void *) = NULL;
    void *(*match)(void *, void *, int *) = NULL;
    struct cvips_font_set *(*sort)(void *, void *, int, void *, int *) = NULL;
    int (*get_string)(void *, const char *, int, char **) = NULL;
    GModule *all = g_module_open(NULL, G_MODULE_BIND_LAZY);
    if (!all || !g_module_symbol(all, "FcPatternCreate", (gpointer *) &create) ||
        !g_module_symbol(all, "FcPatternAddString", (gpointer *) &add_string) ||
        !g_module_symbol(all, "FcPatternAddInteger", (gpointer *) &add_integer) ||
        !g_module_symbol(all, "FcConfigSubstitute", (gpointer *) &substitute) ||
        !g_module_symbol(all, "FcDefaultSubstitute", (gpointer *) &substitute_defaults) ||
        !g_module_symbol(all, "FcFontMatch", (gpointer *) &match) ||
        !g_module_symbol(all, "FcFontSort", (gpointer *) &sort) ||
        !g_module_symbol(all, "FcPatternGetString", (gpointer *) &get_string))
        return 0;
    static const char *const families[] = {"sans-serif", "serif", "monospace"};
    static const int weights[] = {80, 200}, slants[] = {0, 100};
    int count = 0, result = 0;
    char *file = NULL;
    for (int kind = 0; kind < 13; kind++) {
        void *pattern = create();
        if (!pattern) break;
        add_string(pattern, "family", families[kind / 4 % 3]);
        add_integer(pattern, "weight", weights[kind / 2 % 2]);
        add_integer(pattern, "slant", slants[kind % 2]);
        substitute(NULL, pattern, 0);
        substitute_defaults(pattern);
        if (kind < 12) {
            void *font = match(NULL, pattern, &result);
            if (font && count < most && get_string(font, "file", 0, &file) == 0)
                paths[count++] = g_strdup(file);
            continue;
        }
        // With trimming, fontconfig leaves out fonts that add no characters.
        struct cvips_font_set *fonts = sort(NULL, pattern, 1, NULL, &result);
        for (int i = 0; fonts && i < fonts->count && count < most; i++)
            if (get_string(fonts->fonts[i], "file", 0, &file) == 0)
                paths[count++] = g_strdup(file);
    }
    // The patterns and fonts are not freed, because this runs only once.
    return count;
}

/// Discards a message of a library.
static inline void cvips_discard(const gchar *_Nullable domain, GLogLevelFlags level,
                                 const gchar *_Nullable message, gpointer _Nullable data) {
    (void) domain, (void) level, (void) message, (void) data;
}

/// Suppresses messages of libvips and its libraries, which print a line for each damaged row.
/// Failures are still returned as errors.
static inline void cvips_silence(void) { g_log_set_default_handler(cvips_discard, NULL); }

#endif
