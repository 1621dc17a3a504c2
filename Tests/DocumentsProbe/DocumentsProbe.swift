import CCmarkGFM
import CGumbo
import Documents
import Glibc

/// Measures how fast documents are scanned, compared with only parsing the same bytes.
///
/// Usage: documents-probe [samples | measure SAMPLE BYTES | parse SAMPLE BYTES | NAME]. `samples`
/// lists the hostile samples, `measure` scans one of them, and `parse` only parses it. With the name
/// of an ordinary sample it scans only that sample, repeatedly, for a profiler.
@main
enum DocumentsProbe {
    static func main() {
        cmark_gfm_core_extensions_ensure_registered()
        let name = CommandLine.arguments.dropFirst().first
        let arguments = CommandLine.arguments
        if name == "samples" { return listSamples() }
        if arguments.count == 4, let size = Int(arguments[3]) {
            guard let sample = HostileSample.named(arguments[2]) else {
                print("unknown sample: \(arguments[2])")
                exit(2)
            }
            let bytes = sample.document(size: size)
            if name == "measure" { return measure(bytes, sample.kind) }
            if name == "parse" { return print(rounded(time { parse(bytes, sample.kind) }, 1e6)) }
        }
        guard let sample = samples.first(where: { name?.hasPrefix($0.name) == true }) else {
            return rates()
        }
        let isRewritten = name?.hasSuffix(rewritten) == true
        let documents = sample.documents()
        for _ in 0..<40 {
            for document in documents {
                if isRewritten {
                    rewriteAll(document, sample.kind)
                } else {
                    _ = extract(document, kind: sample.kind)
                }
            }
        }
    }

    private static let rewritten = ", rewritten"
    private static let samples:
        [(name: String, kind: DocumentKind, documents: @Sendable () -> [[UInt8]])] = [
            ("Markdown with images", .markdown, { Samples.markdown(pages: 80, hasImages: true) }),
            ("HTML with sets of images", .html, { Samples.html(pages: 80, hasImages: true) }),
            (
                "HTML with images", .html,
                { Samples.html(pages: 80, hasImages: true, hasSets: false) }
            ),
            (
                "Markdown without images", .markdown,
                { Samples.markdown(pages: 80, hasImages: false) }
            ),
            ("HTML without images", .html, { Samples.html(pages: 80, hasImages: false) }),
            ("CSS with images", .css, { Samples.styles(pages: 80) }),
            ("XML with images", .xml, { Samples.feeds(pages: 80) }),
            ("JSON with images", .json, { Samples.jsonFeeds(pages: 80) }),
        ]

    /// The new URLs of images, which are not made while the time is measured.
    private static let urls = (0..<100).map { "/images/\($0).webp" }

    /// Prints one line for each kind of document: its name, the ratio to the parse alone, and the
    /// megabytes per second of both.
    private static func rates() {
        for (name, kind, makeDocuments) in samples {
            let documents = makeDocuments()
            printRates(name, kind, documents) { _ = extract($0, kind: kind) }
            if !name.contains("without") {
                printRates(name + rewritten, kind, documents) { rewriteAll($0, kind) }
            }
        }
    }

    private static func printRates(
        _ name: String, _ kind: DocumentKind, _ documents: [[UInt8]], _ work: ([UInt8]) -> Void
    ) {
        let times = (0..<9).map { _ in
            (
                bare: time { documents.forEach { parse($0, kind) } },
                ours: time { documents.forEach(work) }
            )
        }.sorted { $0.ours / $0.bare < $1.ours / $1.bare }
        let (bare, ours) = times[times.count / 2]
        let megabytes = Double(documents.reduce(0) { $0 + $1.count }) / 1e6
        let speed = rounded(megabytes / ours, 10)
        // The other kinds have no other parser here.
        guard kind == .html || kind == .markdown else { return print("\(name)\t-\t\(speed)\t-") }
        let ratio = rounded(ours / bare, 1000)
        print("\(name)\t\(ratio)\t\(speed)\t\(rounded(megabytes / bare, 10))")
    }

    /// Scans a document, replaces all its images, and verifies the result.
    private static func rewriteAll(_ bytes: [UInt8], _ kind: DocumentKind) {
        let extraction = extract(bytes, kind: kind)
        let replacements = zip(extraction.references, urls).map {
            Replacement(reference: $0, url: $1)
        }
        _ = try? rewrite(bytes, extraction: extraction, replacements: replacements)
    }

    /// Prints the kind and the name of each hostile sample.
    private static func listSamples() {
        for sample in HostileSample.all { print(sample.title) }
    }

    /// Scans a document and prints the seconds, the largest growth of the resident memory in bytes,
    /// the size of the document, and the result.
    ///
    /// Each measurement needs a process of its own, because freed memory may stay resident.
    private static func measure(_ bytes: [UInt8], _ kind: DocumentKind) {
        _ = extract(Array("![a](b.png) <img src=c.png>".utf8), kind: kind)
        let before = ResidentMemory.startOfPeak()
        var extraction: Extraction?
        let seconds = time { extraction = extract(bytes, kind: kind) }
        let peak = ResidentMemory.peak() - before
        let problem = extraction?.problems.first { $0.coversDocument }
        let verdict =
            problem.map { "\($0.reason)" } ?? "\(extraction?.references.count ?? 0) references"
        print("\(rounded(seconds, 1e6))\t\(max(0, peak))\t\(bytes.count)\t\(verdict)")
    }

    private static func parse(_ bytes: [UInt8], _ kind: DocumentKind) {
        bytes.withUnsafeBytes { raw in
            let text = raw.assumingMemoryBound(to: CChar.self)
            switch kind {
            case .html:
                var options = kGumboDefaultOptions
                options.max_errors = 0
                let output = gumbo_parse_with_options(&options, text.baseAddress, text.count)
                gumbo_destroy_output(&options, output)
            // The other kinds have no other parser here.
            case .css, .xml, .json, .script, .text: return
            default: parseMarkdown(text)
            }
        }
    }

    private static func parseMarkdown(_ text: UnsafeBufferPointer<CChar>) {
        guard let parser = cmark_parser_new(CMARK_OPT_FOOTNOTES) else { return }
        for name in ["table", "strikethrough", "autolink", "tasklist"] {
            cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name))
        }
        cmark_parser_feed(parser, text.baseAddress, text.count)
        cmark_node_free(cmark_parser_finish(parser))
        cmark_parser_free(parser)
    }

    /// The seconds of processor time that `body` takes, whatever else the machine does.
    private static func time(_ body: () -> Void) -> Double {
        let start = processorTime()
        body()
        return processorTime() - start
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func rounded(_ value: Double, _ parts: Double) -> String {
        let value = (value * parts).rounded() / parts
        return parts == 1 ? "\(Int(value))" : "\(value)"
    }
}
