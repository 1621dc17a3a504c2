import FetchCache
import Files
import ImageFormats
import Recipes
import SafeSVG

/// Checks SVGs that are about to be stored or published.
///
/// A worker removes what could run or load something. Its parser reads an attacker's document, so
/// the command looks at the result by itself, with code that shares nothing with that parser.
enum SVGCheck {
    /// The largest SVG, in bytes.
    private static let longest = 32 << 20

    /// The first part of a file that could run or load something, as in `the SVG has a <script>`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - format: Its format.
    /// - Returns: nil for a safe SVG and for every other format.
    static func objection(to path: String, as format: ImageFormat) async -> String? {
        guard format == .svg else { return nil }
        return await BlockingPool.shared.run {
            guard let bytes = try? readFile(path, limit: longest).bytes else {
                return "the SVG cannot be read"
            }
            return SVGJudge.objection(toSVG: bytes).map { ForeignText.tidied("the SVG has \($0)") }
        }
    }
}
