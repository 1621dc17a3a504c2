package import FetchCache
import Files
import ImageFormats
package import Recipes
import SafeSVG

extension FetchConfiguration {
    /// Refuses images over these limits by their first bytes.
    package mutating func refuseImages(over limits: Limits) {
        downloader.bodyCheck = limits.bodyCheck
    }
}

extension Limits {
    /// Refuses an image by its first bytes if it has too many pixels, so that the rest of it is not
    /// downloaded.
    ///
    /// An image is accepted if the first bytes do not give its size, or if it is too short for that
    /// size: a worker checks it again, and tells damage from size.
    var bodyCheck: BodyCheck {
        BodyCheck(identity: "\(pixels) pixels") { [pixels] beginning in
            let bytes = beginning.bytes
            guard case .format(let format) = ImageSniffer.verdict(on: bytes, isWhole: false)
            else { return .accepted }
            switch format.size(in: bytes) {
            case .undecided: return .undecided
            case .unknown: return .accepted
            case .size(let size) where size.pixels <= pixels: return .accepted
            case .size(let size)
            where !format.canHold(size.pixels, in: beginning.length ?? bytes.count):
                return beginning.length == nil ? .undecided : .accepted
            case .size(let size):
                return .refused(
                    reason: "\(size.width)×\(size.height) is more than \(pixels) pixels")
            }
        }
    }
}

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
