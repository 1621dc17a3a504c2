import Documents

extension PastEdit {
    /// The change as one that is left as it is.
    var left: PastSearch.Left {
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
        let names = hiddenNames(in: url ?? "")
        let what = names.isEmpty ? "a part of it" : names.joined(separator: ", ")
        return Problem(.hiddenOrigin, "the old URL is not known, since \(what) is secret")
    }

    /// The remedy that lists what the old URL may be; nil if only one was found.
    private var choice: String? {
        let named = candidates.prefix(5).joined(separator: ", ")
        let others = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
        return candidates.isEmpty ? nil : "write the right one of its URLs: \(named)\(others)"
    }
}

/// The names of the query parameters of a URL whose values are hidden.
private func hiddenNames(in url: String) -> [String] {
    url.split { "?&;#/".contains($0) }.compactMap { part in
        part.firstRange(of: "=[hidden").map { String(part[..<$0.lowerBound]) }
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
    func diagnostics(
        _ severity: Diagnostic.Severity, in bytes: [UInt8], of name: String
    ) -> [Diagnostic] {
        let sorted = sorted { $0.offset < $1.offset }
        return zip(sorted, positions(of: sorted.map(\.offset), in: bytes)).map { left, position in
            let place = Diagnostic.Place(name, line: position.line, column: position.column)
            return Diagnostic(left.problem, severity, at: place, url: left.url ?? left.file)
        }
    }
}

extension [PastEdit] {
    /// Notes about changes that `imgbake restore` will not undo.
    ///
    /// - Parameters:
    ///   - bytes: The document after the changes.
    ///   - name: The name of the document in messages.
    /// - Returns: The notes, in the order of the document.
    func notes(in bytes: [UInt8], of name: String) -> [Diagnostic] {
        map(\.left).diagnostics(.note, in: bytes, of: name).map { diagnostic in
            var note = diagnostic
            note.reason = "the URL is not stored, since it has a secret"
            note.remedy = "keep the URL elsewhere if you want to undo the bake"
            return note
        }
    }
}

extension Diagnostic {
    /// Whether the first place is one of these.
    func isAt(_ positions: Set<Position>) -> Bool {
        guard let line = places.first?.line, let column = places.first?.column else { return false }
        return positions.contains(Position(line: line, column: column))
    }
}
