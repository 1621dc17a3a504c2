/// Decides from its bytes alone whether an SVG may be published.
///
/// It trusts nothing that a decoder says. It reads a strict subset of XML with a parser of its own,
/// and applies the rules by which SVGs are made safe. It rejects everything that it does not understand.
package enum SVGJudge {
    /// The objection to an SVG, as in `a <script> (line 2)`; nil if it may be published.
    ///
    /// The time is linear in the number of bytes.
    package static func objection(toSVG bytes: [UInt8]) -> String? {
        objection(to: bytes, isInsideAnother: false).map { "\($0.what) (line \($0.line))" }
    }

    static func objection(
        to bytes: [UInt8], isInsideAnother: Bool
    ) -> (what: String, line: Int)? {
        guard bytes.count <= SVGLimits.longest else {
            return ("more than \(SVGLimits.longest >> 20) MiB", 1)
        }
        var examiner = SVGExaminer(isInsideAnother: isInsideAnother)
        var parser: StrictXML
        do throws(StrictXML.SyntaxError) {
            parser = try StrictXML(bytes)
        } catch {
            return (error.what, error.line)
        }
        do {
            while let event = try parser.next() {
                if let objection = try objection(to: event, &examiner) {
                    return (objection.what, objection.line ?? parser.line)
                }
            }
            try examiner.finish()
            return nil
        } catch let error as StrictXML.SyntaxError {
            return (error.what, error.line)
        } catch let error as SVGExaminer.UnsafeError {
            return (error.what, parser.line)
        } catch {
            return ("content that cannot be read", parser.line)
        }
    }

    private static func objection(
        to event: StrictXML.Event, _ examiner: inout SVGExaminer
    ) throws(SVGExaminer.UnsafeError) -> (what: String, line: Int?)? {
        switch event {
        case .start(let element):
            guard element.namespace == .svg || element.namespace == .none || examiner.isStarted
            else { return ("another root", element.line) }
            switch try examiner.start(element) {
            case .remove(let what): return (what, element.line)
            case .keep(let verdicts):
                return verdicts.lazy.compactMap(\.objection).first.map { ($0, element.line) }
            }
        case .end: return try examiner.end()?.verdict.objection.map { ($0, nil) }
        case .text(let text):
            try examiner.read(text: text)
            return nil
        }
    }
}

extension SVGExaminer.Verdict {
    /// The reason why the bytes are not published unchanged; nil for ``keep``.
    package var objection: String? {
        switch self {
        case .keep: nil
        case .replace(_, let what): what ?? "a value in another form than the canonical one"
        case .remove(let what), .refuse(let what): what
        }
    }
}
