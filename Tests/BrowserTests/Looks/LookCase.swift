import Testing

/// Markup whose images are to have the same boxes before and after a bake.
struct LookCase: Sendable, CustomTestStringConvertible {
    /// The id of the section that holds it; unique for each case.
    var name: String
    /// `ORIGIN` stands for the URL of the image server.
    var html: String
    /// `&` stands for the section.
    var css = ""
    /// The maximum difference of a box in CSS pixels.
    ///
    /// If an image is scaled to a width of 1600, its height is rounded, so its ratio changes.
    var tolerance = 0.0
    /// Whether the baked page may show another file of the same picture, as it does where candidates
    /// of a srcset have become equal.
    var mayMergeCandidates = false
    /// Whether two screenshots of the same page differ, for example because of an animation.
    var moves = false

    var testDescription: String { name }

    /// The tolerance for scaled images: half a pixel.
    static let scaled = 0.5

    static let all = LookPage.allCases.flatMap(\.cases)
}

/// A page of many cases, which have a section each and do not influence one another.
enum LookPage: String, Sendable, CaseIterable {
    case layout, formats, candidates, styles, elements

    var cases: [LookCase] {
        switch self {
        case .layout: LookCase.layout
        case .formats: LookCase.formats
        case .candidates: LookCase.candidates
        case .styles: LookCase.styles
        case .elements: LookCase.elements
        }
    }

    /// The views of the page.
    var views: [LookView] {
        switch self {
        case .layout: [.desktop, .tablet, .phone]
        case .formats: [.desktop, .dark, LookView(width: 1200, scale: 2)]
        case .candidates:
            [
                .desktop, .tablet, .phone, .dark, .print, LookView(width: 1200, scale: 2),
                LookView(width: 1200, scale: 3),
            ]
        case .styles: [.desktop, .tablet, .dark, .print, LookView(width: 1200, scale: 2)]
        case .elements: [.desktop, .phone]
        }
    }

    /// The views in which every pixel is compared.
    var viewsOfPixels: [LookView] {
        switch self {
        case .styles: [.desktop, .dark, .print]
        case .formats: [.desktop, .dark]
        case .layout, .candidates, .elements: [.desktop]
        }
    }

    var file: String { rawValue + ".html" }

    /// The files of the page; some cases have a style sheet in another folder.
    func files(origin: String) -> [String: String] {
        let css = cases.map { $0.css.replacing("&", with: "#" + $0.name) }.joined(separator: "\n")
        let isApart = self == .styles
        let style =
            isApart ? "<link rel=stylesheet href=css/styles.css>" : "<style>\n\(css)\n</style>"
        let sections = cases.map { "<section id=\"\($0.name)\">\n\(body(of: $0))\n</section>" }
        let html = """
            <!DOCTYPE html>
            <html><head><meta charset="utf-8"><title>\(rawValue)</title>
            <style>
            body { margin: 0; font: 16px/1.5 sans-serif }
            section { position: relative; height: 300px; overflow: hidden; contain: layout paint }
            </style>
            \(style)
            </head><body>
            \(sections.joined(separator: "\n"))
            </body></html>

            """
        var files = [file: html]
        if isApart { files["css/styles.css"] = css }
        return files.mapValues { $0.replacing("ORIGIN", with: origin) }
    }

    /// The markup of a case.
    ///
    /// On the page of candidates, each case has its own images.
    ///
    /// Chromium prefers a larger candidate that it has already loaded, so one case would affect
    /// another.
    private func body(of lookCase: LookCase) -> String {
        guard self == .candidates else { return lookCase.html }
        return lookCase.html.replacing("ORIGIN/", with: "ORIGIN/\(lookCase.name)/")
    }

    static func holding(_ lookCase: LookCase) -> LookPage {
        allCases.first { $0.cases.contains { $0.name == lookCase.name } } ?? .layout
    }
}
