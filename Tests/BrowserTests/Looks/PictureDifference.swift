import Foundation
import TestSupport

/// The difference of two screenshots of the same page, in channel values from 0 to 255.
struct PictureDifference: Sendable, Decodable {
    /// The mean over the section.
    var mean: Double
    /// The mean over the 16 × 16 pixels that differ most.
    var worst: Double

    /// Compares two screenshots, for each section of `height` pixels in turn.
    static func compare(
        _ before: [UInt8], _ after: [UInt8], height: Int, count: Int
    ) async throws -> [PictureDifference] {
        let page = try await Browser.shared.load("about:blank")
        let pictures = [before, after].map { "\"\(Data($0).base64EncodedString())\"" }
        return try await page.evaluate(
            "(\(script))(\(pictures.joined(separator: ",")), \(height), \(count))")
    }

    private static let script = """
        async (before, after, height, count) => {
            const pixels = async base64 => {
                const answer = await fetch("data:image/png;base64," + base64);
                const bitmap = await createImageBitmap(await answer.blob());
                const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
                context.drawImage(bitmap, 0, 0);
                return context.getImageData(0, 0, bitmap.width, bitmap.height);
            };
            const [old, now] = [await pixels(before), await pixels(after)];
            const columns = Math.ceil(old.width / 16), rows = Math.ceil(height / 16);
            const result = [];
            for (let section = 0; section < count; section++) {
                const blocks = new Float64Array(columns * rows);
                for (let y = 0; y < height; y++) {
                    let at = (section * height + y) * old.width * 4;
                    for (let x = 0; x < old.width; x++, at += 4) {
                        const sum = Math.abs(old.data[at] - now.data[at])
                            + Math.abs(old.data[at + 1] - now.data[at + 1])
                            + Math.abs(old.data[at + 2] - now.data[at + 2]);
                        blocks[(y >> 4) * columns + (x >> 4)] += sum;
                    }
                }
                const total = blocks.reduce((sum, block) => sum + block, 0);
                result.push({
                    mean: total / (3 * old.width * height),
                    worst: Math.max(...blocks) / (3 * 16 * 16),
                });
            }
            return result;
        }
        """
}
