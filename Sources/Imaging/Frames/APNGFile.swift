import ImageFormats
import Recipes

/// The frames of an animated PNG (PNG specification, third edition), of which libvips reads only
/// the first.
///
/// A file whose chunks contradict each other is passed on if its default image decodes: browsers
/// show the frames before the fault, but do not agree where it is.
struct APNGFile: FramedFile {
    /// Whether the default image, which libvips reads, is not part of the animation.
    private(set) var hidesDefaultImage = false
    /// Whether the first frame covers the canvas.
    var isFirstWhole: Bool {
        frames.first.map { $0.width == width && $0.height == height } == true
    }

    /// The maximum number of frames.
    static let mostFrames = 20_000

    let format = ImageFormat.png
    let width: Int
    let height: Int
    private(set) var plays = 0
    private(set) var frames: [CanvasFrame] = []
    /// Bits, colour type and the rest of the chunk `IHDR`.
    private let form: [UInt8]
    /// Chunks that affect the pixels of all frames.
    private var shared: [UInt8] = []
    private var expectedNumber = 0
    /// Whether the last control is followed by `fdAT`, and not by `IDAT`.
    private var isControlBehindPixels = false
    private var stated = 0

    /// Reads the chunks of `file`, a complete PNG.
    ///
    /// - Throws: ``JobResult/JobError`` if the chunks of the animation contradict each other.
    init(_ file: borrowing SourceFile) throws(JobResult.JobError) {
        let bytes = file.buffer
        guard bytes.count >= 33 else { throw Self.corrupt("its header is missing") }
        width = bytes[16..<20].bigEndianNumber
        height = bytes[20..<24].bigEndianNumber
        form = Array(bytes[24..<29])
        var isBehindPixels = false
        for chunk in PNGChunks(in: bytes) {
            switch chunk.name {
            case "acTL":
                guard chunk.data.count == 8 else {
                    throw Self.corrupt("a chunk has the wrong length")
                }
                try Self.checkSum(of: chunk, bytes)
                stated = bytes[chunk.data.prefix(4)].bigEndianNumber
                plays = bytes[chunk.data.dropFirst(4)].bigEndianNumber
            case "fcTL": try readControl(chunk, bytes, isFirst: !isBehindPixels)
            case "IDAT":
                guard !isControlBehindPixels else { throw Self.corrupt("the pixels are divided") }
                isBehindPixels = true
                // Without a control before it, the default image is not part of the animation.
                if frames.isEmpty {
                    hidesDefaultImage = true
                } else {
                    frames[0].data.append(chunk.data)
                }
            case "fdAT": try readData(chunk, bytes)
            case "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP":
                if !isBehindPixels { shared += bytes[chunk.range] }
            default: break
            }
        }
        guard stated == frames.count, !frames.isEmpty else {
            throw Self.corrupt("the number of frames is wrong")
        }
        guard frames.allSatisfy({ !$0.data.isEmpty }) else {
            throw Self.corrupt("a frame has no pixels")
        }
    }

    private mutating func readControl(
        _ chunk: PNGChunks.Chunk, _ bytes: UnsafeRawBufferPointer, isFirst: Bool
    ) throws(JobResult.JobError) {
        guard chunk.data.count == 26 else { throw Self.corrupt("a chunk has the wrong length") }
        try Self.checkSum(of: chunk, bytes)
        let start = chunk.data.lowerBound
        try checkNumber(bytes[start..<start + 4].bigEndianNumber)
        let numbers = stride(from: start + 4, to: start + 20, by: 4).map {
            bytes[$0..<$0 + 4].bigEndianNumber
        }
        let (frameWidth, frameHeight, left, top) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard frameWidth > 0, frameHeight > 0, left + frameWidth <= width,
            top + frameHeight <= height
        else { throw Self.corrupt("a frame is outside of the canvas") }
        let isWhole = frameWidth == width && frameHeight == height
        guard !isFirst || frames.isEmpty && isWhole else {
            throw Self.corrupt("the first frame is not the whole canvas")
        }
        guard let disposal = CanvasFrame.Disposal(rawValue: bytes[start + 24]),
            bytes[start + 25] <= 1
        else { throw Self.corrupt("a frame has an unknown operation") }
        guard frames.count < Self.mostFrames else {
            throw JobResult.JobError(
                .tooManyPixels, "the animation has more than \(Self.mostFrames) frames")
        }
        isControlBehindPixels = !isFirst
        let numerator = bytes[start + 20..<start + 22].bigEndianNumber
        let denominator = bytes[start + 22..<start + 24].bigEndianNumber
        let divisor = denominator == 0 ? 100 : denominator
        frames.append(
            CanvasFrame(
                width: frameWidth, height: frameHeight, left: left, top: top,
                delay: (numerator * 1000 + divisor / 2) / divisor,
                disposal: disposal.after(frames.count),
                isBlended: bytes[start + 25] == 1))
    }

    private mutating func readData(
        _ chunk: PNGChunks.Chunk, _ bytes: UnsafeRawBufferPointer
    ) throws(JobResult.JobError) {
        guard chunk.data.count >= 4, isControlBehindPixels else {
            throw Self.corrupt("pixels have no frame")
        }
        try checkNumber(bytes[chunk.data.prefix(4)].bigEndianNumber)
        try Self.checkSum(of: chunk, bytes)
        frames[frames.count - 1].data.append(chunk.data.dropFirst(4))
    }

    private mutating func checkNumber(_ number: Int) throws(JobResult.JobError) {
        guard number == expectedNumber else { throw Self.corrupt("its chunks are out of order") }
        expectedNumber += 1
    }

    private static func checkSum(
        of chunk: PNGChunks.Chunk, _ bytes: UnsafeRawBufferPointer
    ) throws(JobResult.JobError) {
        let body = Array(bytes[chunk.range.dropFirst(4).dropLast(4)])
        guard Int(Deflate.checksum(body)) == bytes[chunk.range.suffix(4)].bigEndianNumber
        else { throw corrupt("a chunk fails its check") }
    }

    static func corrupt(_ detail: String) -> JobResult.JobError {
        JobResult.JobError(.corrupt, "the animation is damaged (\(detail))")
    }

    /// A PNG of one frame alone, with an orientation from 1 to 8.
    func still(
        _ number: Int, of file: borrowing SourceFile, orientation: Int
    ) -> SourceFile {
        let frame = frames[number]
        let size =
            PNGChunk.bigEndian(UInt32(frame.width)) + PNGChunk.bigEndian(UInt32(frame.height))
        var data: [UInt8] = []
        for range in frame.data { data += file.buffer[range] }
        return SourceFile(
            PNGWriter.signature + PNGChunk.bytes("IHDR", size + form) + shared
                + (orientation > 1 ? FileParts.exif(orientation: orientation, in: .png) : [])
                + PNGChunk.bytes("IDAT", data) + PNGChunks.end)
    }
}
