import Documents
import Reports
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
