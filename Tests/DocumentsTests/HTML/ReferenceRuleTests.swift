import DocumentSyntax
import Testing

@testable import Documents

/// Tests the table of reference rules, and that the precheck covers all of it.
struct ReferenceRuleTests {
    private static let names: [HTMLElementName: [String]] = [
        .withBackground: ["body", "td"], .custom: ["x-y"], .other: ["p"],
    ]

    /// A tag for each element of a rule, which meets the rule's conditions.
    private static let samples: [String] = ReferenceRules.table.flatMap { rule -> [String] in
        guard ![.control, .mediaType, .style].contains(rule.syntax), rule.role.isOfImage else {
            return []
        }
        return HTMLElementName.allCases.filter(rule.elements.contains).flatMap { element in
            (names[element] ?? [element.label ?? ""]).map { sample(rule, $0) }
        }
    }

    private static func sample(_ rule: ReferenceRule, _ element: String) -> String {
        let attribute = "\(rule.attribute)"
        var others = ""
        var value = "https://h/a.png"
        if rule.syntax == .srcset { value += " 1x" }
        if rule.syntax == .page { value = "<img src=https://h/a.png>" }
        if rule.syntax == .meta { others = " property=og:image" }
        if rule.condition.contains(.isImageButton) { others += " type=image" }
        if rule.condition.contains(.isIcon) { others += " rel=icon" }
        if rule.condition.contains(.isPreload) { others += " rel=preload as=image" }
        if rule.condition.contains(.isSocial) { others += " rel=image_src" }
        let tag = "<\(element) \(attribute)=\"\(value)\"\(others)>"
        if rule.condition.contains(.isInPicture) { return "<picture>\(tag)</picture>" }
        if ["image", "feimage"].contains(element) { return "<svg>\(tag)</svg>" }
        if element == "td" { return "<table><tr>\(tag)</td></tr></table>" }
        return tag
    }

    @Test(arguments: samples)
    func findsEachRuleInHTMLAndMarkdown(tag: String) {
        let options = ExtractionOptions(readsLinks: true)
        for kind in [DocumentKind.html, .markdown] {
            let bytes = Array(tag.utf8)
            #expect(mayNameImages(bytes, kind: kind, options: options), "\(kind)")
            let urls = extract(bytes, kind: kind, options: options).references.map(\.url)
            // HTML in Markdown has no `<body>` element.
            if kind == .markdown, tag.hasPrefix("<body") || tag.hasPrefix("<iframe") { continue }
            #expect(urls == ["https://h/a.png"], "\(kind)")
        }
    }

    @Test func matchesEveryRule() {
        for rule in ReferenceRules.table where rule.name != nil {
            let name = "\(rule.attribute)"
            let found = Array(name.uppercased().utf8).withUnsafeBufferPointer {
                HTMLAttributeRules($0).first { candidate in
                    candidate.elements == rule.elements && candidate.condition == rule.condition
                }
            }
            #expect(found != nil, "\(name)")
        }
    }

    @Test(arguments: ["srcx", "sr", "data-imgbakery", "xsrc", "", "hre"])
    func returnsNoRulesForOtherNames(name: String) {
        let isEmpty = Array(name.utf8).withUnsafeBufferPointer { HTMLAttributeRules($0).isEmpty }
        #expect(isEmpty)
    }
}
