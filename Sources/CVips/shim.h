#ifndef IMGBAKE_CVIPS_SHIM_H
#define IMGBAKE_CVIPS_SHIM_H

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

/// Wraps the macro `VIPS_INIT`, which also compares the library with these headers.
static inline int cvips_init(const char *_Nonnull name) { return VIPS_INIT(name); }

/// Wraps `g_object_unref`, which takes an untyped pointer.
static inline void cvips_unref_image(VipsImage *_Nonnull image) { g_object_unref(image); }

/// Wraps `g_object_unref`, which takes an untyped pointer.
static inline void cvips_unref_source(VipsSource *_Nonnull source) { g_object_unref(source); }

/// Wraps the variadic `vips_call`, which runs the loader of that name and no other.
///
/// `pages` is -1 for all of them; 0 for a loader that has no such option.
static inline int cvips_load(const char *_Nonnull loader, VipsSource *_Nonnull source, int pages,
                             VipsImage *_Nullable *_Nonnull out) {
    if (pages == 0)
        return vips_call(loader, source, out, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    return vips_call(loader, source, out, "n", pages, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Wraps the variadic `vips_svgload_source`.
static inline int cvips_load_svg(VipsSource *_Nonnull source, double scale,
                                 VipsImage *_Nullable *_Nonnull out) {
    return vips_svgload_source(source, out, "scale", scale, NULL);
}

/// Wraps the variadic `vips_thumbnail_source`: scales down to `width` and turns upright.
///
/// `options` go to the loader. The operation's own `fail_on` does not reach the loader of a source
/// in libvips 8.14; only among these options is it heard.
static inline int cvips_thumbnail(VipsSource *_Nonnull source, int width,
                                  const char *_Nonnull options, const char *_Nullable profile,
                                  VipsImage *_Nullable *_Nonnull out) {
    if (profile)
        return vips_thumbnail_source(source, out, width, "height", VIPS_MAX_COORD, "size",
                                     VIPS_SIZE_DOWN, "option_string", options, "export_profile",
                                     profile, NULL);
    return vips_thumbnail_source(source, out, width, "height", VIPS_MAX_COORD, "size",
                                 VIPS_SIZE_DOWN, "option_string", options, NULL);
}

/// Wraps the variadic `vips_black`.
static inline int cvips_black(int width, int height, VipsImage *_Nullable *_Nonnull out) {
    return vips_black(out, width, height, NULL);
}

/// Wraps the variadic `vips_flatten`, onto white.
static inline int cvips_flatten(VipsImage *_Nonnull image, VipsImage *_Nullable *_Nonnull out) {
    VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
    int code = vips_flatten(image, out, "background", white, NULL);
    vips_area_unref(VIPS_AREA(white));
    return code;
}

/// Wraps the variadic `vips_jpegsave_buffer`; the bytes are the caller's, to be freed by `g_free`.
static inline int cvips_save_jpeg(VipsImage *_Nonnull image, int quality,
                                  void *_Nullable *_Nonnull bytes, size_t *_Nonnull count) {
    return vips_jpegsave_buffer(image, bytes, count, "Q", quality, CVIPS_STRIP, NULL);
}

/// Wraps the variadic `vips_webpsave_buffer`.
static inline int cvips_save_webp(VipsImage *_Nonnull image, int quality, int effort,
                                  void *_Nullable *_Nonnull bytes, size_t *_Nonnull count) {
    return vips_webpsave_buffer(image, bytes, count, "Q", quality, "effort", effort, CVIPS_STRIP,
                                NULL);
}

/// Wraps the variadic `vips_heifsave_buffer`, for AVIF.
static inline int cvips_save_avif(VipsImage *_Nonnull image, int quality, int effort,
                                  void *_Nullable *_Nonnull bytes, size_t *_Nonnull count) {
    return vips_heifsave_buffer(image, bytes, count, "Q", quality, "effort", effort, "compression",
                                VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "bitdepth", 8, CVIPS_STRIP,
                                NULL);
}

/// Wraps the variadic `vips_pngsave_buffer`.
static inline int cvips_save_png(VipsImage *_Nonnull image, int compression,
                                 void *_Nullable *_Nonnull bytes, size_t *_Nonnull count) {
    return vips_pngsave_buffer(image, bytes, count, "compression", compression, CVIPS_STRIP, NULL);
}

/// Wraps the variadic `vips_gifsave_buffer`.
static inline int cvips_save_gif(VipsImage *_Nonnull image, void *_Nullable *_Nonnull bytes,
                                 size_t *_Nonnull count) {
    return vips_gifsave_buffer(image, bytes, count, CVIPS_STRIP, NULL);
}

/// The path of the shared library at `index` among those of this process, or NULL behind the last.
///
/// Walks the list that the dynamic linker keeps for debuggers, because the declarations of
/// `dl_iterate_phdr` are hidden from Swift. /proc/self/maps is of no use to a process that cannot
/// be dumped.
static inline const char *_Nullable cvips_library(int index) {
    const struct link_map *library = _r_debug.r_map;
    while (library && index-- > 0) library = library->l_next;
    return library ? library->l_name : NULL;
}

/// Throws away a message that a library would print.
static inline void cvips_discard(const gchar *_Nullable domain, GLogLevelFlags level,
                                 const gchar *_Nullable message, gpointer _Nullable data) {
    (void) domain, (void) level, (void) message, (void) data;
}

/// Silences libvips and the libraries below it, which would print a line for each damaged row;
/// what matters comes back as an error.
static inline void cvips_silence(void) { g_log_set_default_handler(cvips_discard, NULL); }

#endif
