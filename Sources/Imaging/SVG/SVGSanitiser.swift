import Recipes
import SafeSVG

/// Writes an SVG anew in the strict form, without everything that could run or load something.
///
/// No byte of the source is copied, because a browser could read it in another way than the reader
/// here.
struct SVGSanitiser {
    /// A part that is left out.
    struct Finding {
        /// A phrase that follows "the SVG has".
        let what: String
        let line: Int
    }

    private(set) var output: [UInt8]
    private(set) var findings: [Finding] = []
    /// The place behind the attributes of the root.
    private(set) var rootEnd = 0
    /// The places of the width and the height of the root.
    private(set) var rootLengths: [Range<Int>] = []
    private var reader: XMLReader
    private var examiner: SVGExaminer
    /// Whether the SVG is in a `data:` URL of another.
    private let isInsideAnother: Bool
    /// The end tags of the open elements; empty for an element that is one tag.
    private var ends: [String] = []
    /// The number of open elements that are left out.
    private var removed = 0
    /// The place in the output, and the line, of the tag of an open `<style>`.
    private var style: (start: Int, line: Int)?

    /// - Throws: ``JobResult/JobError`` if the text is not an SVG, not well-formed or too complex.
    init(_ text: SVGText, isInsideAnother: Bool) throws(JobResult.JobError) {
        let head = text.hasDeclaration ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
        output = Array(head.utf8)
        self.isInsideAnother = isInsideAnother
        examiner = SVGExaminer(isInsideAnother: isInsideAnother)
        var line = 1
        do throws(SVGError) {
            reader = try XMLReader(text.bytes, .wellFormed)
            defer { line = reader.line }
            while let event = try reader.next() { try read(event) }
            try examiner.finish()
        } catch {
            throw JobResult.JobError(error, line: line)
        }
    }

    /// A phrase for what the document type loads or declares, with its line.
    var objectionToDocumentType: (what: String, line: Int)? { reader.documentType?.objection }
    /// The attributes of the root by their names.
    var rootAttributes: [String: String] { examiner.rootAttributes }

    private mutating func read(_ event: XMLReader.Event) throws(SVGError) {
        switch event {
        case .start(let element): try start(element)
        case .end: try end()
        case .text(let text):
            guard removed == 0 else { return }
            try examiner.read(text: text)
            if style == nil { XMLWriter.write(text: text, to: &output) }
        case .instruction(let name, let line):
            if removed == 0, name.localName == "xml-stylesheet" {
                findings.append(Finding(what: "an xml-stylesheet", line: line))
            }
        }
    }

    private mutating func start(_ element: XMLElement) throws(SVGError) {
        guard removed == 0 else {
            removed += 1
            return
        }
        let isRoot = !examiner.isStarted
        var element = element
        try cleanDrawings(of: &element)
        let verdicts: [SVGExaminer.Verdict]
        switch try examiner.start(element) {
        case .remove(let what):
            findings.append(Finding(what: what, line: element.line))
            removed = 1
            return
        case .keep(let list): verdicts = list
        }
        let start = output.count
        output += [UInt8(ascii: "<")] + Array(element.name.utf8)
        for (attribute, verdict) in zip(element.attributes, verdicts) {
            let start = output.count
            try write(attribute, verdict, line: element.line)
            if isRoot, ["width", "height"].contains(attribute.name) {
                rootLengths.append(start..<output.count)
            }
        }
        if isRoot { rootEnd = output.count }
        output += Array(element.isEmpty ? "/>".utf8 : ">".utf8)
        ends.append(element.isEmpty ? "" : "</\(element.name)>")
        if examiner.isInStyle, !element.isEmpty { style = (start, element.line) }
    }

    private mutating func write(
        _ attribute: XMLAttribute, _ verdict: SVGExaminer.Verdict, line: Int
    ) throws(SVGError) {
        if let what = verdict.removal { findings.append(Finding(what: what, line: line)) }
        switch verdict {
        case .keep: XMLWriter.write(attribute: attribute.name, attribute.value, to: &output)
        case .replace(let value, _):
            XMLWriter.write(attribute: attribute.name, value, to: &output)
        case .remove: break
        case .refuse(let what): throw SVGError(.unsafe, what)
        }
    }

    private mutating func end() throws(SVGError) {
        guard removed == 0 else {
            removed -= 1
            return
        }
        let tag = ends.popLast() ?? ""
        if let (text, verdict) = try examiner.end(), let style {
            self.style = nil
            if let what = verdict.removal { findings.append(Finding(what: what, line: style.line)) }
            switch verdict {
            case .keep: XMLWriter.write(text: text, to: &output)
            case .replace(let text, _): XMLWriter.write(text: text, to: &output)
            case .remove, .refuse:
                output.removeSubrange(style.start...)
                return
            }
        }
        output += Array(tag.utf8)
    }

    /// Writes SVGs in `data:` URLs anew, unless this SVG is in one itself.
    private mutating func cleanDrawings(
        of element: inout XMLElement
    ) throws(SVGError) {
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
                    throw SVGError(.unsafe, "an embedded SVG: \(error.reason)")
                }
                // Browsers show nothing for it.
                findings.append(Finding(what: "an embedded SVG with faults", line: element.line))
                element.attributes[place].value = []
            }
        }
    }
}

extension JobResult.JobError {
    /// - Parameters:
    ///   - error: The reason why an SVG is not read to its end.
    ///   - line: The line that was reached.
    fileprivate init(_ error: SVGError, line: Int) {
        let line = error.line ?? line
        switch error.kind {
        case .malformed: self.init(.corrupt, "the SVG is not well-formed XML (line \(line))")
        case .notSVG: self.init(.unsupported, "the file is XML, but not SVG")
        case .unsafe: self.init(.unsafe, "the SVG has \(error.what) (line \(line))")
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
