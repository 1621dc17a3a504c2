import Documents
package import Reports
import Sites

extension BakeOptions {
    /// Notes about settings that changed nothing in a run that has read the whole site.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - files: Its files.
    ///   - hasLists: Whether an earlier bake in place has replaced URLs, so that patterns for them may
    ///     match none.
    ///   - hosts: The hosts with settings of which nothing was asked.
    /// - Returns: The notes.
    func effectNotes(
        _ site: Site, _ files: [SiteFile], hasLists: Bool, hosts: [String]
    ) -> [Diagnostic] {
        guard isWhole else { return [] }
        let (documents, urls) = (reading.documents, reading.urls)
        var notes: [Problem] = []
        for (key, patterns) in [("ignore", documents.ignored), ("include", documents.included)] {
            notes += patterns.filter { !$0.isUsed }.map {
                Problem(.noEffect, "no file matches the pattern '\($0.pattern)' of '\(key)'")
            }
        }
        if output != nil || !hasLists {
            for (key, patterns) in [("ignore-urls", urls.ignored), ("include-urls", urls.included)]
            {
                notes += patterns.filter { !$0.isUsed }.map { pattern in
                    let text = pattern.pattern
                    return Problem(
                        .noEffect, "no URL matches the pattern '\(text)' of '\(key)'",
                        remedy: text.contains("*")
                            ? nil : "a pattern is for whole URLs: write '\(text)/*' for a host")
                }
            }
            notes += reading.overrides.rules.filter { !$0.isUsed }.map {
                Problem(.noEffect, "no image matches the rule of 'overrides' at \($0.origin)")
            }
            if !usesOtherMachines {
                notes += hosts.map {
                    Problem(.noEffect, "no image is fetched from '\($0)' of 'hosts'")
                }
            }
        }
        if site.reading.describesImages, !files.contains(where: { $0.role == .document(.html) }) {
            notes.append(
                Problem(
                    .noEffect,
                    "'responsive' and 'placeholder' are for HTML pages, and the site has none",
                    remedy: "bake the built site"))
        }
        return notes.map { Diagnostic($0, .note) }
    }
}

extension BakeOptions {
    /// Notes about places without measured widths, and about groups without images.
    ///
    /// - Parameter kept: What the documents of the site use.
    /// - Returns: The notes.
    func sizesNotes(_ kept: KeptImages) -> [Diagnostic] {
        guard let sizes = reading.sizes else { return [] }
        var notes = [Diagnostic.unmeasured(kept.unmeasured)].compactMap(\.self)
        // In place, baked images have their sizes, and other documents may not have been read.
        if output != nil, isWhole {
            let unused = sizes.groups.indices.filter { !kept.usedGroups.contains($0) }
            notes += [Diagnostic.unused(unused.map { sizes.groups[$0].place })].compactMap(\.self)
        }
        return notes
    }
}

extension Diagnostic {
    /// A note that names places without measured widths.
    ///
    /// - Parameters:
    ///   - places: The number of images in each.
    ///   - severity: A note by default.
    /// - Returns: nil if there are none.
    package static func unmeasured(
        _ places: [String: Int], _ severity: Severity = .note
    ) -> Diagnostic? {
        if places.isEmpty { return nil }
        let count = places.values.reduce(0, +)
        let images = count == 1 ? "1 image stands" : "\(count) images stand"
        let names = listed(places.keys.sorted().map { "'\($0)'" })
        let reason = "\(images) in places that \(SizesFile.name) does not have: \(names)"
        return Diagnostic(Problem(.unmeasuredPlace, reason), severity)
    }

    /// A note that names places of the file in which no image stands; nil if there are none.
    package static func unused(_ places: [String]) -> Diagnostic? {
        if places.isEmpty { return nil }
        let names = listed(places.sorted().map { "'\($0)'" })
        let reason = "no image stands in these places of \(SizesFile.name): \(names)"
        return Diagnostic(Problem(.unusedSizes, reason), .note)
    }
}
