package import Documents
package import Reports
import Sites

extension DocumentPlan {
    /// The problems of references that cannot be rewritten, regardless of their images.
    ///
    /// - Parameter severity: The severity of a failure to bake an image.
    /// - Returns: The diagnostics, in no particular order.
    package func diagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        var result = problemDiagnostics(as: severity) + unreadDiagnostics(as: .warning)
        if !references.unreachable.isEmpty { result += unreachableDiagnostics }
        result += siteURLDiagnostics + secretURLDiagnostics + fileURLDiagnostics
        result += danglingDiagnostics
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

    /// The offset of the first attribute, after the whitespace that belongs to it.
    private func place(of control: ImageControl) -> Int {
        let rest = bytes[min(control.offset, bytes.count)...]
        return rest.firstIndex { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) } ?? rest.startIndex
    }

    /// The parts that could not be read with certainty.
    ///
    /// - Parameter severity: The severity if an image of another host is left as it is because of
    ///   that.
    /// - Returns: The diagnostics, in the order of the document.
    package func problemDiagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        zip(problems, positions(of: problems.map(\.problem.offset))).map { item, position in
            diagnostic(
                item.problem.reason.problem(in: writer.layout?.layout),
                item.isRemote ? severity : .warning, at: position, item.problem.url)
        }
    }

    /// The images of other hosts in places that are not read.
    ///
    /// - Parameter severity: The severity if somebody who visits the built site may load the image.
    /// - Returns: The diagnostics, in the order of the document.
    package func unreadDiagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        let unread = unread
        return zip(unread, positions(of: unread.map(\.offset))).map { image, position in
            let isOfVisitors = image.isOfVisitors && extraction.kind.isPublished
            return diagnostic(
                image.problem, isOfVisitors ? severity : .warning, at: position, image.url)
        }
    }

    private var unreachableDiagnostics: [Diagnostic] {
        if let layout = writer.layout { return unpublishedDiagnostics(in: layout) }
        let reason =
            "the page's <base href> is not a folder of this site, so no relative path can name a "
            + "local image"
        let problem = Problem(.unreachableBase, reason)
        let place = extraction.baseOffset.flatMap { positions(of: [$0]).first }
        return [diagnostic(problem, .error, at: place, extraction.baseHref)]
    }

    private func unpublishedDiagnostics(in page: LayoutPage) -> [Diagnostic] {
        let title = Generator.row(page.layout.generator).title
        let reason = "no local URL is right for everyone who resolves this place in \(title)"
        let remedy =
            page.siteAddress == nil
            ? "bake the built site, or give --site-url" : "bake the built site"
        return diagnostics(
            Problem(.unsafeBeforeBuild, reason, remedy: remedy), .warning,
            at: references.unreachable)
    }

    /// Errors for references to images of bakes that lead to no file and are not made again.
    package var danglingDiagnostics: [Diagnostic] {
        let lost = file?.lost ?? dangling { _ in false }
        let text = file?.file ?? bytes
        let problem = Problem(
            .missingImage, "the path leads to no file of the image folder",
            remedy: "correct the path, or write the original URL")
        return zip(lost, Documents.positions(of: lost.map(\.offset), in: text)).map {
            diagnostic(problem, .error, at: $1, $0.url)
        }
    }

    private var siteURLDiagnostics: [Diagnostic] {
        diagnostics(
            Problem(.needsSiteURL, "this place needs an absolute URL, so the URL was kept"),
            .warning, at: references.needingSiteURL)
    }

    private var secretURLDiagnostics: [Diagnostic] {
        let isLeft = !site.reading.forgetsSecretURLs
        let reason = "this URL must not be stored, so 'imgbake restore' could not put it back"
        return diagnostics(
            Problem(.secretURL, isLeft ? reason + "; the image stays on its host" : reason),
            isLeft ? .warning : .note, at: references.secret)
    }

    /// Warnings for `file:` URLs, which are merged into one for the whole site.
    package var fileURLDiagnostics: [Diagnostic] {
        diagnostics(
            Problem(.fileURL, "this is a file of one machine, which readers of the site lack"),
            .warning, at: references.fileURLs)
    }

    private func diagnostics(
        _ problem: Problem, _ severity: Diagnostic.Severity, at references: [Reference]
    ) -> [Diagnostic] {
        zip(references, positions(of: references)).map {
            diagnostic(problem, severity, at: $1, $0.url)
        }
    }

    package func diagnostic(
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
