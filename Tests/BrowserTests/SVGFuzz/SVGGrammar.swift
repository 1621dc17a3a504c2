/// Random SVG documents that try to run a script or to load something.
///
/// Every payload requests an address below `/hit`, or counts up `top.ran`. The same seed gives the
/// same documents.
struct SVGGrammar {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// A number below `limit` (SplitMix64).
    private mutating func number(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ value >> 31) % UInt64(limit))
    }

    private mutating func isLucky(_ oneIn: Int) -> Bool { number(oneIn) == 0 }

    private mutating func pick<Item>(_ items: [Item]) -> Item { items[number(items.count)] }

    /// The next document.
    mutating func document() -> [UInt8] {
        let parts = (0..<(1 + number(4))).map { _ in part() }.joined(separator: "\n")
        let text = prolog() + root(parts)
        return encoded(isLucky(5) ? mutated(text) : text)
    }

    // MARK: - Documents

    private static let script = "top.ran=(top.ran||0)+1;fetch('/hit/script')"

    private mutating func root(_ body: String) -> String {
        let spaces =
            "xmlns:xlink='http://www.w3.org/1999/xlink' "
            + "xmlns:h='http://www.w3.org/1999/xhtml' xmlns:l='http://www.w3.org/1999/xlink' "
            + "xmlns:e='http://www.w3.org/2001/xml-events' width='40' height='40'"
        let handler = isLucky(8) ? " \(event())='\(Self.script.escaped)'" : ""
        if isLucky(10) {
            let prefixed = body.replacing("<rect", with: "<s:rect").replacing("<g", with: "<s:g")
            return "<s:svg xmlns:s='http://www.w3.org/2000/svg' \(spaces)\(handler)>\(prefixed)"
                + "</s:svg>"
        }
        return "<svg xmlns='http://www.w3.org/2000/svg' \(spaces)\(handler)>\(body)</svg>"
    }

    private mutating func prolog() -> String {
        var text = ""
        if isLucky(3) {
            let encoding = pick([
                "UTF-8", "utf-8", "ISO-8859-1", "US-ASCII", "UTF-7", "UTF-16", "windows-1252",
                "ISO-2022-JP", "HZ-GB-2312", "x-user-defined", "Shift_JIS", "UTF-32",
            ])
            let space = String(repeating: " ", count: pick([1, 1, 1, 1024]))
            text += "<?xml version=\"1.0\"\(space)encoding=\"\(encoding)\"?>"
        }
        if isLucky(4) { text += documentType() }
        if isLucky(6) {
            text += pick([
                "<?xml-stylesheet href='/hit/sheet.css'?>",
                "<?xml-stylesheet type='text/xsl' href='/hit/sheet.xsl'?>",
                "<?xml-stylesheet href='data:text/css,@import%20%22/hit/a%22'?>",
                "<?XML-stylesheet href='/hit/b'?>", "<!-- --><?x y?>", "<!--?><script-->",
            ])
        }
        return text
    }

    private mutating func documentType() -> String {
        pick([
            "<!DOCTYPE svg SYSTEM '/hit/a.dtd'>", "<!DOCTYPE svg>",
            "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' '/hit/b.dtd'>",
            "<!DOCTYPE svg [<!ENTITY a 'red'><!ENTITY b '/hit/entity'>]>",
            "<!DOCTYPE svg [<!ENTITY a '<script>\(Self.script.escaped)</script>'>]>",
            "<!DOCTYPE svg [<!ENTITY a '&#60;script>top.ran=1&#60;/script>'>]>",
            "<!DOCTYPE svg [<!ENTITY a SYSTEM '/hit/entity'><!ENTITY % p SYSTEM '/hit/p'> %p;]>",
            "<!DOCTYPE svg [<!ATTLIST rect onload CDATA 'top.ran=1'><!ATTLIST image href CDATA "
                + "'/hit/default'>]>",
            "<!DOCTYPE svg [<!-- ]> --><!ENTITY a \"']><script>top.ran=1</script>\">]>",
        ])
    }

    private mutating func part() -> String {
        switch number(8) {
        case 0: scriptPart()
        case 1, 2: styleSheet()
        case 3: styledElement()
        case 4: reference()
        case 5: animation()
        case 6: markup()
        default: inOtherMarkup(isLucky(2) ? scriptPart() : styleSheet())
        }
    }

    private mutating func event() -> String {
        pick([
            "onload", "onload", "ONLOAD", "onerror", "onbegin", "onfocusin", "e:onload",
            "on\u{212A}",
        ])
    }

    private mutating func scriptPart() -> String {
        let script = Self.script.escaped
        return pick([
            "<script>\(script)</script>", "<h:script>\(script)</h:script>",
            "<script href='/hit/a.js'/>", "<script xlink:href='data:text/javascript,\(script)'/>",
            "<SCRIPT>\(script)</SCRIPT>", "<script><![CDATA[\(Self.script)]]></script>",
            "<g \(event())='\(script)'/>", "<image href='/hit/x' onerror='\(script)'/>",
            "<rect><set attributeName='x' onbegin='\(script)' to='1'/></rect>",
            "<h:img src='/hit/img' onerror='\(script)'/>", "<h:iframe src='/hit/frame'/>",
            "<h:link rel='stylesheet' href='/hit/link'/>", "<h:style>@import '/hit/hs';</h:style>",
            "<foreignObject width='9' height='9'><h:body onload='\(script)'><h:img src='/hit/f'/>"
                + "</h:body></foreignObject>",
            "<h:object data='/hit/object'/>", "<h:video src='/hit/video' autoplay=''/>",
            "<e:listener handler='#x' event='load'/><handler id='x'>\(script)</handler>",
            "<text>&a;&b;</text>",
            "<a href='javascript:\(script)'><rect width='9' height='9'/></a>",
            "<a l:href='java&#9;script:\(script)'><text>x</text></a>",
            "<x:script xmlns:x='http://www.w3.org/2000/svg'>\(script)</x:script>",
            "<g><![CDATA[]]><script>\(script)</script>]]&gt;</g>",
        ])
    }

    private mutating func inOtherMarkup(_ part: String) -> String {
        pick([
            "<style><!--</style>\(part)<!-- --><style>--></style>", "<![CDATA[\(part)]]>",
            "<!-- \(part.replacing("--", with: "- -")) -->", "<?pi \(part)?>",
            "<title>\(part)</title>", "<metadata>\(part)</metadata>", "<defs>\(part)</defs>",
            "<x:y xmlns:x='urn:x'>\(part)</x:y>",
            "<svg:g xmlns:svg='http://www.w3.org/2000/svg'>"
                + "\(part)</svg:g>", "<switch>\(part)</switch>", "<g xmlns=''>\(part)</g>",
            "<g xmlns='http://www.w3.org/1999/xhtml'>\(part)</g>", "+ADw-\(part)+AD4-",
            "<g title='\(part.escaped)'>\(part)</g>",
            "<symbol id='s'>\(part)</symbol>"
                + "<use href='#s'/>",
        ])
    }

    // MARK: - URLs

    private mutating func url() -> String {
        let url = pick([
            "/hit/a", "/hit/a.png", "//x.test/hit", "http://x.test/hit", "hit/a", "#x", "#x", "",
            "data:image/png,/../../hit/b", "d ata:image/png,/../hit/c", "'#x", "\"#x", " #x",
            "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' onload='top.ran=1'/%3E",
            "data:image/svg+xml;base64,PHN2Zy8+", "data:text/html,<script>top.ran=1</script>",
            "javascript:top.ran=1", "DATA:image/png;base64,iVBORw0KGgo=", "data:,", "?hit", ".",
            "data:image/gif;base64,R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=#/hit/d",
            "\\\\x.test\\hit", "/\\x.test/hit", "data:font/woff2;base64,AAAA", "url(/hit/e)",
            "data:image/png\u{2C}x/../../../hit/f", "\u{301}/hit/g", "\u{200D}/hit/h", "&b;",
        ])
        guard isLucky(4) else { return url }
        let place = number(url.utf8.count + 1)
        let inserted = pick(["\t", "\n", " ", "&#10;", "&#13;&#10;", "\\", "/", "'", "\u{A0}"])
        let start = url.utf8.prefix(place)
        return String(decoding: start, as: UTF8.self) + inserted
            + String(decoding: url.utf8.dropFirst(place), as: UTF8.self)
    }

    private mutating func reference() -> String {
        let element = pick(["image", "use", "feImage", "a", "pattern", "textPath", "mpath", "tref"])
        let name = pick(["href", "xlink:href", "l:href", "HREF", "src", "href", "x:href"])
        let value = url().replacing("<", with: "&lt;").replacing("'", with: "&apos;")
        let base = isLucky(8) ? " xml:base='/hit/base/'" : ""
        let tag = "<\(element)\(base) \(name)='\(value)' width='9' height='9'/>"
        return element == "feImage"
            ? "<filter id='f'>\(tag)</filter><rect width='9' height='9' filter='url(#f)'/>" : tag
    }

    private mutating func animation() -> String {
        let target = pick([
            "href", "xlink:href", " href", "l:href", "fill", "filter", "cursor", "style", "onload",
            "mask", "class", "src", "x",
        ])
        let value = url().replacing("<", with: "&lt;").replacing("'", with: "&apos;")
        let values = pick([
            "to='\(value)'", "values='\(value);\(value)'", "from='#x' to='\(value)'",
            "to='url(\(value))'", "values='url(#x);\(function())(\(value))'", "by='\(value)'",
        ])
        let kind = pick(["set", "animate", "animate", "animateTransform"])
        let parent = pick(["image", "use", "a", "rect"])
        return
            "<\(parent) id='x' width='9' height='9'><\(kind) attributeName='\(target)' \(values) "
            + "begin='0s' dur='1s' fill='freeze'/></\(parent)>"
    }

    private mutating func markup() -> String {
        pick([
            "<rect id='x' width='9' height='9'/>", "<g fill='&a;'><rect width='9' height='9'/></g>",
            "<text font-family='q'>text</text>", "<title>&amp;&#x3C;script&#62;</title>",
            "<!-- <script>top.ran=1</script> -->", "<linearGradient id='x'/>",
            "<rect width='9' height='9' \u{E9}='1'/>", "<g \(event())=''/>", "<unknown/>",
        ])
    }

    // MARK: - CSS

    /// A word of CSS with some characters written as escapes.
    private mutating func obscured(_ word: String) -> String {
        guard isLucky(2) else { return word }
        return word.unicodeScalars.map { scalar in
            guard isLucky(3) else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return pick([
                "\\\(digits) ", "\\\(digits)&#13;&#10;", "\\00\(digits)\n", "\\\(digits)&#12;",
                "\\\(digits)\t", "&#\(scalar.value);", String(scalar).uppercased(),
                String(scalar) + pick(["\\\n", "/**/", "\u{301}"]),
            ])
        }.joined()
    }

    private mutating func function() -> String {
        obscured(pick(["url", "url", "url", "src", "image", "image-set", "-webkit-image-set"]))
    }

    private mutating func value() -> String {
        let address = url()
        let quote = pick(["", "", "\"", "&quot;", "&apos;"])
        let space = pick(["", "", " ", "\n", "\u{301}", "\u{200D}", "/**/", "\u{A0}"])
        let end = pick([")", ")", ")", " )", "", " x)"])
        let safe = address.replacing("<", with: "&lt;")
        return pick(["", "", "\u{A0}", "-->", "<!--".escaped, "1", "#a\u{A0}"]) + function() + "("
            + space + quote + safe + quote + (isLucky(6) ? " 1x" : "") + end
    }

    private mutating func declaration() -> String {
        let property = pick([
            "background", "background-image", "fill", "filter", "mask", "cursor", "content",
            "list-style", "border-image-source", "clip-path", "--x", "-webkit-mask-box-image",
            "shape-outside", "marker-start", "src", "behavior",
        ])
        return "\(obscured(property)):\(value())"
    }

    private mutating func styleSheet() -> String {
        let address = url().replacing("<", with: "&lt;")
        let sheet =
            pick([
                "@\(obscured("import")) \"\(address)\";", "@\(obscured("import")) \(value());",
                "@\(obscured("font-face")){font-family:q;src:\(value())} text{font-family:q}",
                "svg{\(declaration())}", "*{\(declaration());\(declaration())}",
                "@media all{svg,rect{\(declaration())}}",
                "@namespace url(/hit/ns);@import '/hit/i';",
                "@charset 'utf-7';@\(obscured("import")) '/hit/j';",
                "svg{--x:\(value());fill:var(--x)}",
                "svg{--x:\(value());background:var(--x)}", "@x{};@\(obscured("import")) '/hit/k';",
                "a{b:'\n@import \"/hit/l\";'}", "svg::after{content:\(value())}",
                "<!--@import '/hit/m'",
                "@font-face{font-family:q;src:url(#x),\(value())} text{font-family:q}",
            ]) + (isLucky(3) ? "svg{\(declaration())}" : "")
        let text = sheet.replacing("<", with: "&lt;") + ""
        return pick([
            "<style>\(text)</style><text>q</text>", "<style>\(text)</style><text>q</text>",
            "<style><![CDATA[\(sheet)]]></style>", "<h:style>\(text)</h:style>",
            "<style>\(text.prefix(5))<!-- -->\(text.dropFirst(5))</style>",
            "<style>\(text.prefix(3))<![CDATA[]]>\(text.dropFirst(3))</style>",
            "<style type='text/css' media='all'>\(text)</style>", "<style xmlns=''>\(text)</style>",
        ])
    }

    private mutating func styledElement() -> String {
        let element = pick(["rect", "g", "svg", "path", "image"])
        let name = pick(["fill", "filter", "mask", "cursor", "clip-path", "marker-end", "stroke"])
        let attribute =
            isLucky(2)
            ? "style='\(declaration().replacing("'", with: "&apos;"))'"
            : "\(name)='\(value().replacing("'", with: "&apos;"))'"
        return "<\(element) \(attribute.replacing("<", with: "&lt;")) width='9' height='9'/>"
    }

    // MARK: - Bytes

    private mutating func encoded(_ text: String) -> [UInt8] {
        switch number(14) {
        case 0: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        case 1: return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case 2: return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case 3: return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        default: return Array(text.utf8)
        }
    }

    private mutating func mutated(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0...number(3) {
            let place = number(bytes.count)
            switch number(4) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(pick(Array("<>&'\"/\\:;()@!-]\t\n\0".utf8)), at: place)
            case 2: bytes[place] ^= UInt8(1 << number(7))
            default:
                let end = min(bytes.count, place + number(40))
                bytes.insert(contentsOf: bytes[place..<end], at: number(bytes.count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("'", with: "&apos;")
    }
}
