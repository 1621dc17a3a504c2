import Recipes
import SafeSVG

/// Writes an SVG anew, without everything that could run or load something.
///
/// libxml2 reads it, the parser that librsvg and Chromium use. The result is in the strict form
/// that every parser reads in the same way.
///
/// No byte of the source is copied, because a browser could read it in another way than the parser
/// here.
struct SVGSanitiser: ~Copyable {
    /// A part that is left out.
    struct Finding {
        /// A phrase that follows "the SVG has".
        let what: String
        let line: Int
    }

    struct Result {
        /// The SVG in the strict form.
        let bytes: [UInt8]
        let findings: [Finding]
        /// The attributes of the root by their names.
        let rootAttributes: [String: String]
        /// The place of the tag of the root.
        let rootTag: Range<Int>
    }

    private let reader: XMLReader
    /// Whether the SVG is in a `data:` URL of another.
    private let isInsideAnother: Bool
    private var examiner: SVGExaminer
    private var output: [UInt8]
    private var findings: [Finding] = []
    private var rootTag = 0..<0
    /// The depth of the element that is left out.
    private var removal: Int?
    /// The place in the output, and the line, of the tag of an open `<style>`.
    private var style: (start: Int, line: Int)?

    /// - Throws: ``JobResult/JobError`` if the text is not an SVG, not well-formed or too complex.
    static func clean(
        _ text: [UInt8], hasDeclaration: Bool, isInsideAnother: Bool
    ) throws(JobResult.JobError) -> Result {
        guard let reader = XMLReader(text) else {
            throw JobResult.JobError(.outOfMemory, "the SVG does not fit in memory")
        }
        let head = hasDeclaration ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
        var sanitiser = SVGSanitiser(
            reader: reader, output: Array(head.utf8), isInsideAnother: isInsideAnother)
        let outcome: Swift.Result<Void, JobResult.JobError>
        do throws(SVGExaminer.UnsafeError) {
            outcome = try sanitiser.run()
        } catch {
            throw JobResult.JobError(
                .unsafe, "the SVG has \(error.what) (line \(sanitiser.reader.parserLine))")
        }
        try outcome.get()
        return Result(
            bytes: sanitiser.output, findings: sanitiser.findings,
            rootAttributes: sanitiser.examiner.rootAttributes, rootTag: sanitiser.rootTag)
    }

    private init(reader: consuming XMLReader, output: [UInt8], isInsideAnother: Bool) {
        self.reader = reader
        self.output = output
        self.isInsideAnother = isInsideAnother
        examiner = SVGExaminer(isInsideAnother: isInsideAnother)
    }

    private mutating func run() throws(SVGExaminer.UnsafeError)
        -> Swift.Result<
            Void, JobResult.JobError
        >
    {
        while true {
            switch reader.next() {
            case .element:
                if !examiner.isStarted, reader.name.localName != "svg" {
                    return .failure(
                        JobResult.JobError(.unsupported, "the file is XML, but not SVG"))
                }
                try readElement()
            case .endOfElement: try readEnd()
            case .text:
                guard removal == nil else { continue }
                try examiner.read(text: reader.value)
                if style == nil { XMLWriter.write(text: reader.value, to: &output) }
            // HTML ends them elsewhere, so what follows could run there.
            case .comment: break
            case .instruction:
                if removal == nil, reader.name.localName == "xml-stylesheet" {
                    findings.append(Finding(what: "an xml-stylesheet", line: reader.line))
                }
            // The document type was removed, and with it all entities that a parser could know.
            case .entity: throw SVGExaminer.UnsafeError(what: "an entity")
            case .other: break
            case .end:
                try examiner.finish()
                return .success(())
            case .error:
                return .failure(
                    JobResult.JobError(
                        .corrupt, "the SVG is not well-formed XML (line \(reader.parserLine))"))
            }
        }
    }

    private mutating func readElement() throws(SVGExaminer.UnsafeError) {
        guard removal == nil else { return }
        let (depth, isEmpty, isRoot) = (reader.depth, reader.isEmptyElement, !examiner.isStarted)
        var element = reader.takeElement()
        try cleanDrawings(of: &element)
        let verdicts: [SVGExaminer.Verdict]
        switch try examiner.start(element) {
        case .remove(let what):
            findings.append(Finding(what: what, line: element.line))
            if !isEmpty { removal = depth }
            return
        case .keep(let list): verdicts = list
        }
        let start = output.count
        output += [UInt8(ascii: "<")] + Array(element.name.utf8)
        for (attribute, verdict) in zip(element.attributes, verdicts) {
            try write(attribute, verdict, line: element.line)
        }
        output += Array(isEmpty ? "/>".utf8 : ">".utf8)
        if isRoot { rootTag = start..<output.count }
        if isEmpty {
            _ = try examiner.end()
        } else if examiner.isInStyle {
            style = (start, element.line)
        }
    }

    private mutating func write(
        _ attribute: SVGAttribute, _ verdict: SVGExaminer.Verdict, line: Int
    ) throws(SVGExaminer.UnsafeError) {
        if case .replace(_, nil) = verdict {
        } else if let what = verdict.objection {
            findings.append(Finding(what: what, line: line))
        }
        switch verdict {
        case .keep: XMLWriter.write(attribute: attribute.name, attribute.value, to: &output)
        case .replace(let value, _):
            XMLWriter.write(attribute: attribute.name, value, to: &output)
        case .remove: break
        case .refuse(let what): throw SVGExaminer.UnsafeError(what: what)
        }
    }

    private mutating func readEnd() throws(SVGExaminer.UnsafeError) {
        if let removal {
            if reader.depth == removal { self.removal = nil }
            return
        }
        if let (text, verdict) = try examiner.end(), let style {
            self.style = nil
            if case .replace(_, nil) = verdict {
            } else if let what = verdict.objection {
                findings.append(Finding(what: what, line: style.line))
            }
            switch verdict {
            case .keep: XMLWriter.write(text: text, to: &output)
            case .replace(let text, _): XMLWriter.write(text: text, to: &output)
            case .remove, .refuse:
                output.removeSubrange(style.start...)
                return
            }
        }
        output += Array("</\(reader.name)>".utf8)
    }

    /// Writes SVGs in `data:` URLs anew, unless this SVG is in one itself.
    private mutating func cleanDrawings(
        of element: inout SVGElement
    ) throws(SVGExaminer.UnsafeError) {
        guard !isInsideAnother, SVGRules.withData.contains(element.name.localName) else { return }
        for place in element.attributes.indices
        where element.attributes[place].name.localName == "href" {
            let value = element.attributes[place].value
            guard let drawing = SVGReference(value).drawing else { continue }
            do throws(JobResult.JobError) {
                let document = try SVGDocument(drawing, isInsideAnother: true)
                if let clean = document.rewritten {
                    let fragment = value.drop { $0 != UInt8(ascii: "#") }
                    element.attributes[place].value = SVGReference.address(of: clean) + fragment
                }
                let what = document.objection.map { $0.dropFirst("the SVG has ".count) }
                if let what {
                    findings.append(
                        Finding(what: "an embedded SVG with \(what)", line: element.line))
                }
            } catch {
                guard error.code != .unsafe else {
                    throw SVGExaminer.UnsafeError(what: "an embedded SVG: \(error.reason)")
                }
                // Browsers show nothing for it.
                findings.append(Finding(what: "an embedded SVG with faults", line: element.line))
                element.attributes[place].value = []
            }
        }
    }
}

/// Writes XML in the strict form.
enum XMLWriter {
    static func write(text: [UInt8], to output: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "<"): output += Array("&lt;".utf8)
            case UInt8(ascii: "&"): output += Array("&amp;".utf8)
            case UInt8(ascii: ">"): output += Array("&gt;".utf8)
            case 0x0D: output += Array("&#13;".utf8)
            default: output.append(byte)
            }
        }
    }

    static func write(attribute name: String, _ value: [UInt8], to output: inout [UInt8]) {
        output += Array(" \(name)=\"".utf8)
        for byte in value {
            switch byte {
            case UInt8(ascii: "<"): output += Array("&lt;".utf8)
            case UInt8(ascii: "&"): output += Array("&amp;".utf8)
            case UInt8(ascii: "\""): output += Array("&quot;".utf8)
            case 0x09, 0x0A, 0x0D: output += Array("&#\(byte);".utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
