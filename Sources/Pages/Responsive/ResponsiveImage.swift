import Documents
package import ImageFormats
import Pictures
package import Recipes
package import Reports
package import Sites
import StyleSizing

/// What an element needs so that browsers choose among several files of its image, and show it as
/// before.
///
/// With `w` descriptors, the natural width of an image is what `sizes` says, and no longer that of
/// the file. So the element must have a width that does not depend on it: the attribute `width`,
/// unless a style sheet gives another width or a height. ``ResponsivePage`` says where.
package struct ResponsiveImage: Hashable, Sendable {
    /// How the width of the element on the page is known.
    package enum Layout: Hashable, Sendable {
        /// It is not: the element gets no `srcset`.
        case unknown
        /// The author says it in `sizes`; if it is safe, the element gets a `width` too.
        case stated(ImageSizes, isWritten: Bool, takesWidth: Bool)
        /// The attribute `width` of the element; if it can be narrower, by `max-width`.
        case attribute(Int, isFluid: Bool)
        /// The natural width of the image, which gets it as `width`; it can be narrower.
        case natural
        /// It was measured; a `limit` is that of its attribute `width`, or of the image itself.
        case measured(WidthPieces, limit: Limit)

        package enum Limit: Hashable, Sendable {
            case none, natural
            case attribute(Int)
        }
    }

    /// The attribute `height` of the element.
    var height: Int?
    /// Whether it has none, and one would change nothing once the image has loaded.
    var takesHeight = false
    /// Whether its `sizes` may begin with `auto`, if the attributes have the ratio of the file.
    var mayBeAuto = false
    package var layout = Layout.unknown
    /// The widths of the site or of the element's control.
    var widths: [Int] = []
    /// The width on the page, where nothing else tells it.
    package var sizes = ImageSizes.viewport
    /// The width that was measured; nil if it was not.
    package var measured: WidthPieces?
    /// The part of an attribute `width` that is padding and border, in pixels, as it was measured.
    var inset = 0
    /// The formats of the sources of a `<picture>`; none if the element gets no `<picture>`.
    package var formats: [ImageFormat] = []
    package var loadsLazily = false
    var decodesLater = false
    /// What is shown while the image loads.
    package var placeholder = LoadingPlaceholder.none
    /// Whether what is added has classes, and no `style` attributes.
    var usesClasses = false
    /// Why it gets fewer files than the options ask for.
    package var missing: [KeptReason] = []
    /// Its place, if widths were measured and none of them is for it.
    package var unmeasuredPlace: String?

    /// The widths of the files to make; none if the element gets no `srcset`.
    package var wantedWidths: [Int] {
        switch layout {
        case .unknown: []
        case .stated, .natural, .measured: Set(widths).sorted()
        case .attribute(let width, isFluid: false): [width, 2 * width, 3 * width]
        case .attribute(let width, isFluid: true):
            Set(widths.filter { $0 < 3 * width } + [width, 2 * width, 3 * width]).sorted()
        }
    }

    /// The attributes to add.
    ///
    /// - Parameters:
    ///   - image: The image with its smaller files.
    ///   - url: Returns the URL of a file; nil if none can be written.
    /// - Returns: The attributes; nil if there are none.
    func attributes(
        for image: BakedImage, url: (String) -> String?
    ) -> Replacement.Responsive? {
        var result = Replacement.Responsive()
        result.loadsLazily = loadsLazily
        result.decodesLater = decodesLater
        if usesClasses {
            result.className = className(of: image)
        } else {
            result.style = style(of: image)
        }
        if !image.alternatives.isEmpty {
            addSources(of: image, &result, url: url)
        } else if let candidates = candidates(for: image, url: url) {
            result.candidates = candidates
            if !isSizeWritten { result.sizes = sizes(of: image) }
            (result.width, result.height) = (width(of: image), addedHeight(of: image))
        }
        return result == Replacement.Responsive() ? nil : result
    }

    /// The `imagesrcset` and `imagesizes` of a link that preloads the image; nil if there are none.
    func preload(
        of image: BakedImage, url: (String) -> String?
    ) -> Replacement.Responsive? {
        guard image.alternatives.isEmpty, let sizes = sizes(of: image),
            let candidates = candidates(for: image, url: url)
        else { return nil }
        var result = Replacement.Responsive()
        (result.candidates, result.sizes) = (candidates, sizes)
        return result
    }

    /// The `style` that is seen while the image loads; nil if there is none.
    private func style(of image: BakedImage) -> String? {
        guard let loading = image.loading else { return nil }
        switch placeholder {
        case .none: return nil
        case .color: return LoadingStyle.colour(loading.colour)
        case .blur: return LoadingStyle.picture(loading.base64)
        }
    }

    /// The `class` that is seen while the image loads; nil if there is none.
    private func className(of image: BakedImage) -> String? {
        if placeholder == .none { return nil }
        return image.loading.map { AddedSheet.colourClass($0.colour) }
    }

    /// The files of the `srcset`; nil if there is only one.
    private func candidates(
        for image: BakedImage, url: (String) -> String?
    ) -> [Replacement.Responsive.Candidate]? {
        var files = image.smaller.map { ($0.fileName, $0.width) }
        let isWideEnough: Bool
        if case .attribute(let width, _) = layout {
            // Twenty-nine thirtieths, because widths are lowered a little.
            isWideEnough = (files.last?.1 ?? 0) * 30 >= 3 * width * 29
        } else {
            isWideEnough = false
        }
        if !isWideEnough { files.append((image.fileName, image.width)) }
        let candidates = files.compactMap { name, width in
            url(name).map { Replacement.Responsive.Candidate(url: $0, width: width) }
        }
        return candidates.count == files.count && files.count > 1 ? candidates : nil
    }

    /// Adds the sources of a `<picture>`; none if a URL cannot be written.
    private func addSources(
        of image: BakedImage, _ result: inout Replacement.Responsive, url: (String) -> String?
    ) {
        let sizes = sizes(of: image)
        var formats: [ImageFormat] = []
        for file in image.alternatives where !formats.contains(file.format) {
            formats.append(file.format)
        }
        for format in formats {
            let files = image.alternatives.filter { $0.format == format }
            let hasWidths = files.count > 1 && sizes != nil
            let candidates = files.compactMap { file in
                url(file.fileName).map {
                    Replacement.Responsive.Candidate(url: $0, width: hasWidths ? file.width : nil)
                }
            }
            guard candidates.count == files.count else { return result.sources = [] }
            var source = Replacement.Responsive.Source(
                mediaType: format.mediaType, candidates: candidates,
                sizes: hasWidths ? sizes : nil)
            source.isStyledByClass = usesClasses
            result.sources.append(source)
        }
        guard result.sources.contains(where: { $0.sizes != nil }) else { return }
        (result.width, result.height) = (width(of: image), addedHeight(of: image))
        // Browsers take `auto` of a source only if the image says it too.
        if let sizes, sizes.hasPrefix("auto,"), !isSizeWritten { result.sizes = sizes }
    }

    /// Whether the author has written a `sizes`.
    private var isSizeWritten: Bool {
        if case .stated(_, isWritten: true, _) = layout { true } else { false }
    }

    /// The width to add to the element, so that its box does not depend on `sizes`.
    private func width(of image: BakedImage) -> Int? {
        switch layout {
        case .natural, .stated(_, _, takesWidth: true): image.width
        case .unknown, .attribute, .stated, .measured: nil
        }
    }

    /// The height to add to the element, so that its place is kept while it loads.
    private func addedHeight(of image: BakedImage) -> Int? {
        guard takesHeight else { return nil }
        if case .attribute(let width, _) = layout {
            let exact = Double(width) * Double(image.height) / Double(image.width)
            return max(1, Int(exact.rounded()))
        }
        return width(of: image) == nil ? nil : image.height
    }

    /// The beginning of `sizes`, with which a browser takes the width that the element has.
    ///
    /// Its height then follows from the attributes and not from the file, so they need its ratio.
    private func auto(_ width: Int, of image: BakedImage) -> String {
        let height = height ?? addedHeight(of: image) ?? 0
        return mayBeAuto && height * image.width == width * image.height ? "auto, " : ""
    }

    /// The text of `sizes` of an image that is never wider than a number of pixels.
    private func limitedSizes(to pixels: Int) -> String {
        measured?.limited(to: pixels).text ?? sizes.limited(to: pixels).text
    }

    /// The text of `sizes`; nil if the width of the element is not known.
    private func sizes(of image: BakedImage) -> String? {
        switch layout {
        case .unknown: return nil
        case .stated(let sizes, _, _): return sizes.text
        case .attribute(let width, isFluid: false): return ImageSizes.fixed(width).text
        case .attribute(let width, isFluid: true):
            return auto(width, of: image) + limitedSizes(to: max(1, width - inset))
        case .natural: return auto(image.width, of: image) + limitedSizes(to: image.width)
        case .measured(let sizes, .none): return sizes.text
        case .measured(let sizes, .natural): return sizes.limited(to: image.width).text
        case .measured(let sizes, .attribute(let width)):
            return sizes.limited(to: max(1, width - inset)).text
        }
    }
}
