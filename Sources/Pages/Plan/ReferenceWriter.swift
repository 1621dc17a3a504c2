import Documents
import Sites

/// Writes the URL of a baked image in the form that each place of a document needs.
struct ReferenceWriter {
    /// The page that relative paths start from; nil if no relative path can name a file.
    ///
    /// With a layout, it is the page of the built site.
    let page: String?
    let address: SiteAddress?
    /// The image folder, relative to the site.
    let imageDirectory: String
    /// The URL of that folder, if the user gave it.
    var publicPath: PublicPath?
    /// The document in its project, if the site has a layout.
    var layout: LayoutPage?
    /// The user's choice of the form of URLs.
    var choice = URLChoice.automatic

    /// The URL of an image, by its file name.
    ///
    /// - Returns: nil if no URL can name the file.
    func url(of image: String, at reference: Reference) -> String? {
        if let publicPath { return url(of: image, below: publicPath, as: reference.form) }
        let absolute = address.flatMap { address in
            published(image).map { address.url(of: $0) }
        }
        return switch reference.form {
        case .absolute: absolute
        case .absoluteIfKnown: absolute ?? fromPage(image, reference)
        case .relative, .rooted: chosen(image, reference, absolute)
        }
    }

    /// The URL at a place that resolves relative URLs.
    private func chosen(
        _ image: String, _ reference: Reference, _ absolute: String?
    ) -> String? {
        if layout != nil { return fromPage(image, reference) }
        switch (choice, reference.form) {
        case (.root, _), (.automatic, .rooted):
            return (address?.path ?? "/") + urlPath(imageDirectory + "/" + image)
        case (.absolute, _): return absolute
        default: return fromPage(image, reference) ?? absolute
        }
    }

    /// Whether the URLs of images can be written at a reference.
    func canWrite(_ reference: Reference) -> Bool { url(of: "x", at: reference) != nil }

    /// The path of an image in the site.
    private func published(_ image: String) -> String? {
        guard let layout else { return imageDirectory + "/" + image }
        return layout.layout.publishedDirectory.map { joined($0, image) }
    }

    private func fromPage(_ image: String, _ reference: Reference) -> String? {
        guard let layout else {
            return page.map { urlPath(relativePath(from: $0, to: imageDirectory + "/" + image)) }
        }
        return layout.url(
            of: joined(layout.layout.imageDirectory, image), published: published(image),
            at: reference, from: page)
    }

    private func url(
        of image: String, below folder: PublicPath, as form: Reference.Form
    ) -> String? {
        let url = folder.text + urlPath(image)
        guard folder.address == nil, form != .relative, form != .rooted else { return url }
        let host = address.map { $0.url.dropLast($0.path.utf8.count) }
        return host.map { $0 + url } ?? (form == .absolute ? nil : url)
    }
}
