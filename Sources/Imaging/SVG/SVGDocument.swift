import Recipes
import SafeSVG

/// An SVG that was checked for scripts and external references.
struct SVGDocument {
    /// The size in CSS pixels, if the SVG has one.
    let size: SVGSize?
    /// The size at which to draw it, if librsvg would choose another than browsers.
    let frame: SVGSize?
    /// The first part of the SVG that could run or load something, as in `the SVG has a <script>
    /// (line 2)`; nil if the SVG is safe as it is.
    let objection: String?
    /// The parts that are removed from the SVG, as in `2 scripts, 1 event attribute`; nil if none
    /// are.
    let removals: String?
    /// The SVG in the strict form without such parts; nil if it is published as it is.
    let rewritten: [UInt8]?
    /// The SVG in the strict form at the size of ``frame``; nil if there is none.
    let framed: [UInt8]?

    /// - Throws: ``JobResult/JobError`` if it is not an SVG, or one that cannot be made safe.
    init(_ bytes: [UInt8], isInsideAnother: Bool = false) throws(JobResult.JobError) {
        guard bytes.count <= SVGLimits.longest else {
            throw JobResult.JobError(
                .unsafe, "the SVG has more than \(SVGLimits.longest >> 20) MiB")
        }
        let text = try SVGText(bytes)
        let clean = try SVGSanitiser(text, isInsideAnother: isInsideAnother)
        let root = SVGRoot(clean.rootAttributes)
        size = SVGSize(of: root)
        frame = SVGSize.frame(of: root)
        let first = clean.findings.first.map { (what: $0.what, line: $0.line) }
        let type = clean.objectionToDocumentType
        objection = (type ?? first).map { "the SVG has \($0.what) (line \($0.line))" }
        removals =
            SVGRemovals(clean.findings.map(\.what), hasDocumentType: type != nil).text
        framed = frame.map { $0.framed(clean) }
        // The judge also decides whether the document is in the strict form.
        if objection == nil, SVGJudge.objection(toSVG: bytes) == nil {
            rewritten = nil
            return
        }
        if let what = SVGJudge.objection(toSVG: clean.output) {
            throw JobResult.JobError(.unsafe, "the SVG has \(what), which cannot be removed")
        }
        rewritten = clean.output
    }
}
