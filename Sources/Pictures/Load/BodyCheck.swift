package import FetchCache
import ImageFormats
package import Recipes

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
