package import Documents
package import Reports
import Sites

extension PastEdit {
    /// The change as one that is left as it is.
    package var left: PastSearch.Left {
        PastSearch.Left(
            offset: images.compactMap(\.offset).first ?? range.lowerBound,
            file: images.first?.file ?? "", url: images.first?.url, isHidden: isHidden)
    }
}

extension PastSearch.Left {
    fileprivate var problem: Problem {
        guard isListed else {
            return Problem(
                .uncertainOrigin, "no list tells where this image came from",
                remedy: "restore the folder that was baked, or write the original URL")
        }
        guard isHidden else {
            return Problem(
                .uncertainOrigin,
                "the document was changed, and the old URL of \(file) is not certain",
                remedy: choice)
        }
        return Problem(
            .hiddenOrigin, "the old URL is not known, since it had a secret that no list keeps")
    }

    /// The remedy that lists what the old URL may be; nil if that is not known.
    private var choice: String? {
        let urls = candidates.isEmpty ? [url].compactMap(\.self) : candidates
        let named = urls.prefix(5).joined(separator: ", ")
        let others = urls.count > 5 ? " and \(urls.count - 5) more" : ""
        return urls.isEmpty ? nil : "write the original URL: \(named)\(others)"
    }
}

extension [PastSearch.Left] {
    /// The diagnostics of references that are left as they are.
    ///
    /// - Parameters:
    ///   - severity: Their severity.
    ///   - bytes: The document.
    ///   - name: The name of the document in messages.
    /// - Returns: The diagnostics, in the order of the document.
    package func diagnostics(
        _ severity: Diagnostic.Severity, in bytes: [UInt8], of name: String
    ) -> [Diagnostic] {
        let sorted = sorted { $0.offset < $1.offset }
        return zip(sorted, positions(of: sorted.map(\.offset), in: bytes)).map { left, position in
            let place = Diagnostic.Place(name, line: position.line, column: position.column)
            return Diagnostic(left.problem, severity, at: place, url: left.url ?? left.file)
        }
    }
}

extension Diagnostic {
    /// Whether the first place is one of these.
    package func isAt(_ positions: Set<Position>) -> Bool {
        guard let line = places.first?.line, let column = places.first?.column else { return false }
        return positions.contains(Position(line: line, column: column))
    }
}
