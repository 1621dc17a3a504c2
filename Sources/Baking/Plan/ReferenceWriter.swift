import Documents

/// Writes the URL of a file of the site, as each place needs it.
struct ReferenceWriter {
    /// The document whose place relative paths start from; nil where none can name a file.
    let page: String?
    let address: SiteAddress?

    /// - Returns: nil where no URL can be written that would name the file.
    func url(of file: String, as form: Reference.Form) -> String? {
        switch form {
        case .relative: relative(file) ?? address?.url(of: file)
        case .absoluteIfKnown: address?.url(of: file) ?? relative(file)
        case .absolute: address?.url(of: file)
        case .rooted: (address?.path ?? "/") + urlPath(file)
        }
    }

    /// Whether any file's URL can be written.
    func canWrite(_ form: Reference.Form) -> Bool { url(of: "x", as: form) != nil }

    private func relative(_ file: String) -> String? {
        page.map { urlPath(relativePath(from: $0, to: file)) }
    }
}
