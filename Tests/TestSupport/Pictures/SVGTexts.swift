/// SVG documents that are rendered, copied or rejected in tests.
package enum SVGTexts {
    /// A static drawing of 120 × 80 that loads nothing.
    package static let safe = wrap(
        """
        <defs><linearGradient id="g"><stop stop-color="#c33"/><stop offset="1" stop-color="#33c"/>
        </linearGradient></defs>
        <style>.a { fill: url(#g); stroke: #222 }</style>
        <rect class="a" x="5" y="5" width="110" height="70"/>
        <use href="#g"/><text x="20" y="40">Hello</text>
        """)

    /// Documents that could run or load something, each named after its problem.
    package static let unsafe: [(name: String, text: String)] = [
        ("script", wrap("<script>alert(1)</script>")),
        ("onload", wrap("<g onload=\"alert(1)\"/>")),
        ("foreignObject", wrap("<foreignObject><p>x</p></foreignObject>")),
        ("image", wrap("<image href=\"https://example.com/a.png\"/>")),
        ("xlink", wrap("<use xlink:href=\"other.svg#a\"/>")),
        ("javascript", wrap("<a href=\"java&#10;script:alert(1)\"><text>x</text></a>")),
        ("style", wrap("<style>rect { fill: url(https://example.com/a.svg#p) }</style>")),
        ("import", wrap("<style>@import 'https://example.com/a.css';</style>")),
        ("attribute", wrap("<rect filter=\"url(//example.com/f.svg#f)\"/>")),
        ("animate", wrap("<a><animate attributeName=\"href\" to=\"javascript:alert(1)\"/></a>")),
        ("stylesheet", "<?xml-stylesheet href=\"https://example.com/a.css\"?>" + safe),
        ("entity", "<!DOCTYPE svg [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + safe),
        ("nested", wrap("<image href=\"data:image/svg+xml,%3Csvg%3E%3Cscript/%3E%3C/svg%3E\"/>")),
    ]

    /// An SVG of 120 × 80 that contains `body`.
    package static func wrap(_ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
        width="120" height="80">
        \(body)
        </svg>
        """
    }
}
