import FetchCache
import Files
import Reports
import Sites

/// Scripts of other hosts, as far as a bake publishes them.
///
/// They are published byte for byte, so a page's `integrity` stays true. What a script asks for when it
/// runs is not known.
enum RemoteScript {
    /// The size of the largest script in bytes.
    private static let longest = 16 << 20
    /// The types of scripts that browsers run (MIME Sniffing, "JavaScript MIME type").
    private static let types = ["javascript", "ecmascript", "jscript", "livescript"]
    /// What a script that depends on its own URL has.
    ///
    /// A script that loads others looks for its own element if the first of these is not there.
    private static let signs =
        [
            "currentScript", "importScripts", "document.scripts", "import.meta",
            "script[src", "script[data-",
        ]
        + ["getElementsByTagName(", "document.querySelector(", "document.querySelectorAll(", "$("]
        .flatMap { [$0 + "\"script", $0 + "'script"] }

    /// Checks that a file is a script that runs in the same way from another URL.
    ///
    /// - Throws: ``Problem`` of the code ``DiagnosticCode/scriptKept``; ``FileError``.
    static func requireMovable(_ source: LoadedImage) throws {
        let type = source.facts?.mediaType.rawValue.lowercased() ?? ""
        guard types.contains(where: type.contains) else {
            let stated = type.isEmpty ? "not stated" : printable(type)
            throw problem("its type is \(stated) and not text/javascript")
        }
        let bytes = try readFile(source.path, limit: longest, ofAnyKind: true).bytes
        // Without a charset, the encoding of the page counts wherever the script is.
        let mayBeUTF8 = !type.contains("charset") || type.contains("utf-8")
        guard
            bytes.allSatisfy({ $0 < 0x80 })
                || mayBeUTF8 && String(validating: bytes, as: UTF8.self) != nil
        else { throw problem("its encoding is not UTF-8") }
        if let sign = signs.first(where: bytes.contains) ?? importSign(in: bytes) {
            throw problem("it has '\(sign)', so it may depend on its URL")
        }
    }

    /// An `import` or an `export … from`; nil if there is none.
    ///
    /// Those in texts and comments count, too. A style sheet in a text has `@import`.
    private static func importSign(in bytes: [UInt8]) -> String? {
        let words = bytes.split { !isOfWord($0) && $0 != UInt8(ascii: "@") }
        if words.contains(where: { $0.elementsEqual("import".utf8) }) { return "import" }
        let isReexport =
            bytes.contains("export")
            && ["from\"", "from'", "from \"", "from '"].contains(where: bytes.contains)
        return isReexport ? "export … from" : nil
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private static func problem(_ reason: String) -> Problem {
        Problem(.scriptKept, reason, remedy: "leave it on its host, or add it to the site")
    }
}
