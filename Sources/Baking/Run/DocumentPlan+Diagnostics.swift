import Documents

extension DocumentPlan {
    /// The problems of references that cannot be rewritten, whatever their images are.
    ///
    /// - Parameter severity: The severity of a failure to bake an image.
    /// - Returns: The diagnostics, in no particular order.
    func diagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        var result = refusalDiagnostics(as: severity) + unreadDiagnostics
        if !references.unreachable.isEmpty { result.append(unreachableDiagnostic) }
        if !references.needingSiteURL.isEmpty { result.append(siteURLDiagnostic) }
        let unusable = references.unusable
        result += zip(unusable, positions(of: unusable.map(\.reference))).map { item, position in
            diagnostic(item.problem, severity, at: position, item.reference.url)
        }
        let controls = references.invalidControls
        result += zip(controls, positions(of: controls.map { place(of: $0.control) })).map {
            item, position in diagnostic(item.problem, severity, at: position)
        }
        return result
    }

    /// Where the first attribute stands, behind the blanks that go with it.
    private func place(of control: ImageControl) -> Int {
        let rest = bytes[min(control.offset, bytes.count)...]
        return rest.firstIndex { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) } ?? rest.startIndex
    }

    /// The parts that could not be read with certainty.
    ///
    /// - Parameter severity: The severity where an image of another host is left because of that.
    /// - Returns: The diagnostics, in the order of the document.
    func refusalDiagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        zip(refusals, positions(of: refusals.map(\.refusal.offset))).map { item, position in
            diagnostic(
                item.refusal.reason.problem, item.isRemote ? severity : .warning, at: position,
                item.refusal.url)
        }
    }

    /// URLs that cannot be read; warnings, since it is not known what they name.
    var unreadDiagnostics: [Diagnostic] {
        zip(extraction.unread, positions(of: extraction.unread.map(\.offset))).map {
            diagnostic($0.problem, .warning, at: $1, $0.url)
        }
    }

    private var unreachableDiagnostic: Diagnostic {
        if let layout = writer.layout { return unpublishedDiagnostic(in: layout) }
        let reason =
            "the <base href> of the page names no folder of this site, so no relative path can name a "
            + "local image"
        return diagnostic(
            Problem(.unreachableBase, reason), .error, at: nil, extraction.baseHref)
    }

    private func unpublishedDiagnostic(in page: LayoutPage) -> Diagnostic {
        let title = Generator.row(page.layout.generator).title
        let places = references.unreachable
        let count = places.count == 1 ? "1 reference was" : "\(places.count) references were"
        let reason =
            "it is not known under which URL \(title) publishes images for this place, and \(count) "
            + "left"
        return diagnostic(
            Problem(.unknownPublicPath, reason), .error,
            at: positions(of: Array(places.prefix(1))).first, places.first?.url)
    }

    private var siteURLDiagnostic: Diagnostic {
        let places = references.needingSiteURL
        let count = places.count == 1 ? "1 reference needs" : "\(places.count) references need"
        let reason = "\(count) an absolute URL and \(places.count == 1 ? "was" : "were") left"
        return diagnostic(
            Problem(.needsSiteURL, reason), .warning,
            at: positions(of: Array(places.prefix(1))).first, places.first?.url)
    }

    func diagnostic(
        _ problem: Problem, _ severity: Diagnostic.Severity, at position: Position?,
        _ url: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            problem, severity,
            at: Diagnostic.Place(
                site.name(path), line: position?.line, column: position?.column),
            url: url)
    }
}
