/// Decides from its bytes alone whether an SVG may be published.
///
/// It runs in the command and trusts nothing that a worker says. It reads the strict form of XML and
/// applies the rules by which SVGs are made safe. It rejects everything that it does not understand.
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
        var line = 1
        do throws(SVGError) {
            var reader = try XMLReader(bytes, .strict)
            defer { line = reader.line }
            while let event = try reader.next() {
                if let objection = try objection(to: event, &examiner) {
                    return (objection.what, objection.line ?? reader.line)
                }
            }
            try examiner.finish()
            return nil
        } catch {
            return (error.what, error.line ?? line)
        }
    }

    private static func objection(
        to event: XMLReader.Event, _ examiner: inout SVGExaminer
    ) throws(SVGError) -> (what: String, line: Int?)? {
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
        case .instruction: return ("a processing instruction", nil)
        }
    }
}
