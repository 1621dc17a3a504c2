/// The meaning and the remedy of each diagnostic: the text of `imgbake explain` and of
/// `docs/diagnostics.md`.
package struct DiagnosticTable: Sendable {
    /// One kind of diagnostic.
    package struct Row: Sendable {
        package var code: DiagnosticCode
        /// The event and its possible causes.
        package var meaning: String
        /// The action that solves the problem, for the help line below the message.
        package var remedy: String

        init(_ code: DiagnosticCode, _ meaning: String, _ remedy: String) {
            self.code = code
            self.meaning = meaning
            self.remedy = remedy
        }
    }

    /// Diagnostics with a common subject.
    package struct Section: Sendable {
        package var title: String
        package var rows: [Row]
    }

    package static let sections = [
        Section(title: "Fetching", rows: fetching), Section(title: "Images", rows: images),
        Section(title: "Files", rows: files), Section(title: "Documents", rows: documents),
        Section(title: "Lockfile", rows: lockfile), Section(title: "Measuring", rows: measuring),
        Section(title: "Policies", rows: policies),
        Section(title: "References", rows: references),
    ]

    private static let rows: [DiagnosticCode: Row] = Dictionary(
        uniqueKeysWithValues: sections.flatMap(\.rows).map { ($0.code, $0) })

    /// The row of a code; tests check that each code has one.
    package static func row(_ code: DiagnosticCode) -> Row {
        rows[code] ?? Row(code, "", "")
    }

    /// The title of the section that a code belongs to.
    static func section(of code: DiagnosticCode) -> String { titles[code] ?? "" }

    private static let titles: [DiagnosticCode: String] = Dictionary(
        uniqueKeysWithValues: sections.flatMap { section in
            section.rows.map { ($0.code, section.title) }
        })

    private static let fetching = [
        Row(
            .invalidURL, "The URL cannot be read, or it is not an http or https URL.",
            "write a full URL that begins with https:// or http://"),
        Row(
            .privateAddress,
            """
            The host has a private, loopback or link-local address. By default, imgbake sends no \
            request to such an address, because a document that somebody else wrote could name \
            machines in your network.
            """, "give --allow-private-network if you trust the documents"),
        Row(
            .hostNotAllowed, "The host is not among allow-hosts, or it is among deny-hosts.",
            "change allow-hosts or deny-hosts in imgbake.yml, or remove the reference"),
        Row(
            .insecureRedirect, "A redirect leads from https to http.",
            "write the URL that it leads to, or set allow-downgrade in imgbake.yml"),
        Row(
            .notAllowed, "The network policy does not allow the request.",
            "change the policy, or remove the reference"),
        Row(
            .hostUnresolved, "The name of the host has no address.",
            "check the name of the host and the network, and run again"),
        Row(
            .connectionFailed, "No connection to the host could be made.",
            "check that the host is up and that no firewall is in between, and run again"),
        Row(
            .proxyFailed,
            """
            The proxy cannot be reached, or it does not make connections to the host. The proxy is \
            that of --proxy, fetch.proxy, http_proxy, https_proxy or all_proxy.
            """,
            "correct the proxy, exclude the host with no_proxy, or give --proxy none for no proxy"),
        Row(
            .connectionLost, "The connection ended before the response was complete.", "run again"),
        Row(
            .timeout,
            """
            The host did not answer in time, sent too slowly, or failed so often that imgbake \
            stopped its requests for a while.
            """, "run again, or raise --connect-timeout, --stall-timeout or --total-timeout"),
        Row(
            .tlsFailed, "The certificate of the host is not valid, or the TLS handshake failed.",
            "check the host, its port and its certificate; trust a private authority with --ca-file"
        ),
        Row(
            .httpStatus, "The server answered with a status that is not a success.",
            "open the URL in a browser; correct or remove the reference"),
        Row(
            .accessDenied, "The server answered with HTTP 401, 403 or 407.",
            "set credentials under 'hosts' in imgbake.yml, or give --netrc"),
        Row(
            .redirectFailed, "The redirects form a loop, lack a valid target, or are too many.",
            "write the URL of the image itself"),
        Row(
            .invalidResponse, "The response is not valid HTTP.",
            "check which server or proxy responds; http on a port for https also causes this"),
        Row(
            .emptyResponse, "The response has no content.",
            "open the URL in a browser; correct or remove the reference"),
        Row(.tooLarge, "The content is larger than the limit.", "raise --max-bytes"),
        Row(
            .notAnImage, "The content is not an image, by its first bytes: often an HTML page.",
            "write the URL of the image, not of a page that shows it"),
        Row(
            .notInCache,
            """
            The image is not in the cache, and --offline or --from-store allows no request to its \
            server.
            """, "run once without --offline or --from-store"),
        Row(
            .staleImage,
            """
            The server failed, and the image in the cache was used although it is stale.
            """, "run again later"),
        Row(
            .originGone,
            """
            The server no longer has the image: it answers with a status such as 404, with a page, \
            with nothing, or with an image that cannot be decoded. The image in the cache was used. \
            The date is that of the first bake that found it so.
            """,
            "copy the image into the site and change the reference; --on-gone fail makes it an error"
        ),
        Row(
            .binaryContent, "'imgbake fetch' does not write binary content to a terminal.",
            "give '-o FILE', or '-o -' to write it anyway"),
    ]

    private static let images = [
        Row(
            .unsupportedFormat, "The format of the image is not known.",
            "convert the image, or leave it with data-imgbake=\"off\""),
        Row(
            .missingDecoder, "The installed libraries have no decoder for the format of the image.",
            "convert the image, or use an imgbake whose libvips reads it, as the Debian package's does"
        ),
        Row(
            .damagedImage, "The image is damaged or cut short.",
            "replace the image; --refresh downloads it again"),
        Row(
            .tooManyPixels, "The image has more pixels than the limit.",
            "raise --max-pixels, or scale the image down at its source"),
        Row(
            .tooLargeForFormat, "The image is wider or higher than its format allows.",
            "lower --max-width, or set another --format"),
        Row(
            .outOfMemory, "The image cannot be decoded within the memory limit.",
            "lower --max-width, or scale the image down at its source"),
        Row(
            .unsafeImage, "The SVG runs scripts or loads other resources.",
            "remove them from the SVG, or set --svg sanitise"),
        Row(
            .workerFailed, "The image worker crashed, or took longer than --image-timeout.",
            "leave the image with data-imgbake=\"off\", or raise --image-timeout if it is large"),
        Row(
            .workerUnavailable, "The image worker cannot be started.",
            "reinstall imgbake, or correct the variable IMGBAKE_WORKER if it is set"),
        Row(
            .weakSandbox,
            "The system does not support a part of the sandbox in which images are decoded.",
            "run on a system that supports it, or bake only images that you trust"),
        Row(
            .missingImage,
            """
            The document names an image of the site that does not exist. If it is one that a bake in \
            place has made, its file was deleted, or the document was moved, and no list tells where \
            it came from.
            """,
            "correct the reference, or add the file"),
        Row(
            .animationKept,
            """
            The frames of an animated AVIF or PNG are not decoded. The file was checked and published \
            as it is, without its metadata.
            """, "publish the animation as WebP or GIF, or set --format keep and --max-width none"),
        Row(
            .coloursKept,
            """
            The image is in HDR or in other colours that cannot be converted. The file was checked \
            and published as it is, in its own size and without its metadata.
            """, "publish the image in sRGB or Display P3, or set --format keep"),
        Row(
            .gainMapRemoved,
            """
            The image has a gain map, with which some screens show it in HDR. The published file \
            has none and is shown as on other screens.
            """, "leave the image with data-imgbake=\"off\" if it must be shown in HDR"),
        Row(
            .svgSanitised,
            "Scripts, event attributes or references to other files were removed from an SVG.",
            "remove them from the SVG, or set --svg refuse to bake no such SVG"),
        Row(
            .misstatedWidth,
            """
            A srcset gives an image another width than it has, often because its server ignores \
            the width in the URL. The image was not scaled and its descriptor was kept, so that \
            browsers choose the same candidate as before.
            """, "give URLs of images that have the stated widths"),
        Row(
            .oneFile,
            """
            With --responsive, these images keep one file, because a srcset could change their size \
            on the page or what its style sheets select, because a style sheet cannot be read, \
            because the page preloads one file, or because a script in it may name another one. The \
            count is that of the whole site.
            """,
            "measure the sizes with 'imgbake measure', copy a style sheet of another host into the "
                + "site, or state the width of an image with data-imgbake-sizes"),
        Row(
            .noPicture,
            """
            With --responsive-formats, these images get no <picture>, or no further sources in theirs, \
            because a style sheet of the page could notice it or cannot be read, because a policy \
            forbids style attributes, or because the page preloads one format. They are baked as \
            without the option.
            """,
            "select the images by a class or as descendants instead of children, or allow style "
                + "attributes in the policy"),
        Row(
            .noPlaceholder,
            """
            With --placeholder, these images get none, because it could be seen when they have \
            loaded, because a style sheet of the page cannot be read, or because a policy forbids \
            style attributes.
            """, "copy the style sheet into the site, or allow style attributes in the policy"),
    ]

    private static let files = [
        Row(
            .unreadableFile, "A file or folder cannot be read.",
            "check its owner and its mode"),
        Row(
            .unwritableFile, "A file or folder cannot be written.",
            "check its owner and its mode, and those of its folder"),
        Row(
            .watchLimit,
            """
            The system tells 'imgbake watch' of no more changes: the limits of inotify for folders \
            or for programs are reached. The folders are walked every two seconds instead, so a \
            bake begins later.
            """,
            "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl, or "
                + "give '--poll'"),
        Row(
            .readOnlyDocument,
            "The document is read-only. A bake in place leaves it as it is.",
            "make it writable with 'chmod u+w', or write a copy with -o"),
        Row(
            .linkOutside,
            "A symbolic link in the output points outside of it, or to a missing file.",
            "replace the link with a folder"),
        Row(
            .diskFull, "The file system is full, or the quota is used up.",
            "make room and run again"),
        Row(
            .cacheUnusable, "The folder or the index of the cache cannot be used.",
            "check the folder, or name another one with --cache-dir"),
        Row(
            .cacheDamaged,
            """
            The cache contained damaged data, which was removed. In a folder of cache.read-only it \
            stays, and is not used.
            """, "check the disk and run 'imgbake cache verify'"),
        Row(
            .cacheTooSmall,
            """
            What the last bakes of the sites have used is larger than cache.max-size allows. It \
            stays in the cache.
            """, "raise cache.max-size to the size in the message"),
        Row(
            .siteUnusable,
            """
            The published site of cache.site has no index that can be used, or an image there is not \
            what the index says. The bake goes on: what the site does not give is fetched and made.
            """,
            "check cache.site; the first bake with it writes the index"),
        Row(
            .remoteUnusable,
            """
            The store of cache.remote cannot be reached, refuses a request, has no space, or has a \
            damaged object. The bake goes on: what the store does not give is fetched and made.
            """, "check cache.remote, the store, and its credentials"),
    ]

    private static let documents = [
        Row(
            .documentChanged,
            "The document changed twice while it was baked, so it was not rewritten.",
            "run again when no other program writes to it"),
        Row(
            .unsupportedEncoding, "The encoding of the document is not compatible with ASCII.",
            "convert the document to UTF-8"),
        Row(
            .documentTooLarge, "The document is larger than its parser accepts.",
            "split the document, or leave it out with --ignore"),
        Row(
            .documentTooComplex,
            "Parsing the document would exceed a limit of time or memory.",
            "simplify the document, or leave it out with --ignore"),
        Row(
            .invalidFrontMatter, "The front matter cannot be parsed.",
            "correct the front matter"),
        Row(
            .rewriteRejected,
            """
            The rewrite would have changed more than references, so the document was not changed.
            """, "report this as a bug, with the document"),
        Row(
            .hiddenFiles, "Hidden files were not copied to the output folder.",
            "give --copy-hidden to copy them"),
        Row(
            .linkLeftOut,
            """
            A symbolic link leads out of the site. It was not copied to the output folder, because \
            it would publish a file that is not part of the site.
            """, "put a copy of the file into the site"),
        Row(
            .nothingRemoved,
            """
            --prune removed nothing, because it is not certain what is in use: a file cannot be read, \
            or the image folder is not in the output and other sites may use it.
            """, "mend the cause and bake again"),
        Row(
            .layout, "The configuration of the generator has a value that imgbake cannot use.",
            "change the configuration, or give --layout none"),
    ]

    /// The codes of which all images share one message, because one option helps all of them.
    static let oneLineCodes: Set<DiagnosticCode> = [
        .needsSiteURL, .unsafeBeforeBuild, .misstatedWidth,
    ]

    private static let references = [
        Row(
            .remoteImage, "The document loads an image from another host.",
            "run 'imgbake' to make it local, or leave it with data-imgbake=\"off\""),
        Row(
            .uncertainPlace, "imgbake found an image, but cannot tell where its URL is written.",
            "write the image in a simpler way"),
        Row(
            .markdownInHTML,
            "The Markdown image is inside HTML or indented, so CommonMark does not read it as an image.",
            "put a blank line before it, or begin it at the margin"),
        Row(
            .markdownInAdmonition,
            """
            CommonMark reads the image as code, and MkDocs reads it as an image if its configuration \
            has the extension. No configuration was found.
            """, "bake the folder that contains mkdocs.yml, or the built site"),
        Row(
            .unknownShortcode, "A shortcode or a component names an image in an unknown attribute.",
            "list the attribute under 'shortcodes' in imgbake.yml"),
        Row(.urlNotUTF8, "The bytes of the URL are not valid UTF-8.", "write the URL in UTF-8"),
        Row(
            .urlInTemplate,
            "A template computes the URL, in the browser or when the site is built.",
            "bake the built site, or host the image yourself"),
        Row(
            .unreadImage,
            """
            A place that imgbake does not read names an image of another host: a script, an attribute \
            or an element that no rule knows, front matter with an unknown key, a block in another \
            language, a file of data. A visitor may load it from there. In 'check --built', this is \
            an error. About a README.md, which other sites show too, it is a note.
            """, "bake the built site, name the image in HTML, or host it yourself"),
        Row(
            .unreachableBase,
            "The <base href> of the page names no folder of the site, so no path reaches an image.",
            "give --site-url, the URL at which the site is published"),
        Row(
            .unsafeBeforeBuild,
            """
            The place is resolved by pages, feeds or templates that need different URLs of a local \
            image, or their URLs are not known. The remote URL was kept.
            """, "bake the built site, or choose a form with --url-style"),
        Row(
            .needsSiteURL, "The reference needs an absolute URL, as in feeds and social cards.",
            "give --site-url, the URL at which the site is published"),
        Row(
            .siteURL,
            """
            The URL of a built site was taken from the generator's configuration beside it, its \
            canonical links, og:url, sitemap or feeds, which must all agree.
            """, "give the right URL with --site-url, or --site-url none to use none"),
        Row(
            .fileURL,
            "The document names an image on the author's disk. All such places share one message.",
            "copy the image into the site and write its relative path"),
        Row(
            .invalidControl, "A data-imgbake attribute has an invalid value.",
            "correct the attribute"),
        Row(
            .secretURL,
            """
            The URL has a password, a key of a service, or a signature that expires. These are not \
            stored in the image folder, so a bake in place could not be undone. It leaves the image \
            on its host, or forgets the URL if --forget-secret-urls is given.
            """,
            "use a URL that stays valid, bake a copy with '-o', or give --forget-secret-urls"),
        Row(
            .hiddenOrigin,
            """
            The original URL of a baked image had a password, a key of a service, or a signature \
            that expires. These are not stored in the image folder, so the URL cannot be put back \
            and the image cannot be made again from it. The local image stays.
            """, "write the whole URL into the document"),
        Row(
            .uncertainOrigin,
            """
            The document names a baked image, but was changed since the bake, and it is not certain \
            what was there before: the image came from several URLs, or the text around it is \
            different. The local image stays.
            """, "write the original URL into the document"),
    ]
}
