import Baking
import FetchCache
import Foundation
import Pictures
import Reports
import Sites

extension HTMLReport {
    /// An image, as the script reads it.
    private struct Row: Encodable {
        var url: String
        var host: String?
        /// The reason of the failure; nil for an image that was baked.
        var failure: String?
        var before: Int?
        var after: Int?
        var formats: String?
        var size: String?
        /// For sorting.
        var pixels: Int?
        var seconds: Double?
        var files: [String]?
        /// The first of its places.
        var places: [String]
        var placeCount: Int
        /// Pictures as `data:` URLs.
        var thumbnail: String?
        var original: String?
        var baked: String?
    }

    /// The number of places that are listed for an image.
    private static let mostPlaces = 50

    /// The images as JSON that can be the content of a `script` element.
    var data: String {
        let rows = failed.map(row) + baked.map(row)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(rows) else { return "[]" }
        // No text of a site can end the element. Bytes are compared, because some characters can
        // form one `Character` with the `<` after them.
        var text: [UInt8] = []
        text.reserveCapacity(json.count + 1_024)
        for byte in json {
            if byte == UInt8(ascii: "<") {
                text += "\\u003C".utf8
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func row(_ failure: Diagnostic) -> Row {
        Row(
            url: failure.url ?? "", host: failure.url.flatMap(hostName),
            failure: "\(failure.reason) [\(failure.code.rawValue)]",
            places: failure.places.prefix(Self.mostPlaces).map(\.text),
            placeCount: failure.places.count)
    }

    private func row(_ image: BakeReport.Image) -> Row {
        let source = image.source
        let first = image.variants.first
        return Row(
            url: image.url, host: image.host, before: source.bytes, after: image.after,
            formats: [source.format, first?.format ?? ""].joined(separator: " → "),
            size: source.width > 0 ? "\(source.width) × \(source.height)" : nil,
            pixels: source.width * source.height,
            seconds: image.seconds > 0 ? image.seconds : nil,
            files: image.variants.map {
                "\($0.file) (\($0.width) × \($0.height), \($0.bytes.asBytes))"
            },
            places: image.uses.prefix(Self.mostPlaces).map(\.text), placeCount: image.uses.count,
            thumbnail: image.pictures.thumbnail?.url, original: image.pictures.before?.url,
            baked: image.pictures.after?.url)
    }
}

extension ImagePictures.Picture {
    /// The picture as a `data:` URL.
    fileprivate var url: String {
        "data:\(mediaType);base64,\(Data(bytes).base64EncodedString())"
    }
}
