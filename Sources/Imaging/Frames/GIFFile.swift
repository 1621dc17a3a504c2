import ImageFormats

/// The frames of a GIF (GIF89a).
///
/// Browsers show nothing where no frame covers the canvas. libvips shows black or the colour of the
/// background there, unless frames are transparent.
struct GIFFile {
    let width: Int
    let height: Int
    /// The number of times the animation is played; 0 for forever.
    private(set) var plays = 1
    private(set) var frames: [CanvasFrame] = []
    /// For each frame, its flags, its colours and the one that is transparent.
    private var forms: [(flags: UInt8, table: Range<Int>, key: UInt8?)] = []

    /// Reads the blocks of a complete file; the canvas has the size at which browsers show it.
    init(_ file: borrowing SourceFile, canvas: (width: Int, height: Int)) {
        let bytes = file.buffer
        (width, height) = canvas
        guard let blocks = GIFBlocks(in: bytes) else { return }
        // The last one before a frame: flags, a delay in 1/100 s, and the transparent colour.
        var control: [UInt8] = [0, 0, 0, 0]
        for block in blocks {
            switch block.kind {
            case .control:
                guard block.range.count >= 8 else { continue }
                control = Array(bytes[block.range].dropFirst(3).prefix(4))
            case .frame where block.isWhole:
                // Browsers take an unknown value of 4 as 3.
                let disposal: CanvasFrame.Disposal =
                    switch control[0] >> 2 & 7 {
                    case 2: .background
                    case 3, 4: .previous
                    default: .none
                    }
                let key = control[0] & 1 == 1 ? control[3] : nil
                forms.append((bytes[block.range.lowerBound + 9], block.table ?? blocks.table, key))
                frames.append(
                    CanvasFrame(
                        width: block.width, height: block.height, left: block.left, top: block.top,
                        delay: 10 * control[1..<3].littleEndianNumber,
                        // There is nothing before the first.
                        disposal: frames.isEmpty && disposal == .previous ? .background : disposal,
                        data: block.data))
                control = [0, 0, 0, 0]
            case .other where block.isMetadata || block.range.count < 19: break
            case .other:
                // A repetition: 11 bytes of a name, and then a block of 3 that begins with 1.
                let loop = Array(bytes[block.range].dropFirst(14).prefix(4))
                guard loop.prefix(2) == [3, 1] else { continue }
                let repetitions = loop[2...].littleEndianNumber
                plays = repetitions == 0 ? 0 : repetitions + 1
            case .frame, .end: break
            }
        }
    }

    /// Whether a part of the canvas may be empty in some frame.
    var isUncovered: Bool {
        guard let first = frames.first else { return false }
        return !covers(first, 0, 0, width, height)
            || zip(frames, frames.dropFirst()).contains { frame, next in
                frame.disposal == .background
                    && !covers(next, frame.left, frame.top, frame.width, frame.height)
            }
    }

    private func covers(
        _ frame: CanvasFrame, _ left: Int, _ top: Int, _ width: Int, _ height: Int
    ) -> Bool {
        frame.left <= left && frame.top <= top && frame.left + frame.width >= left + width
            && frame.top + frame.height >= top + height
    }

    /// A file of one frame alone.
    func still(_ number: Int, of file: borrowing SourceFile) -> SourceFile {
        let (frame, bytes) = (frames[number], file.buffer)
        let (flags, table, key) = forms[number]
        let size = [frame.width, frame.height].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        // Browsers show colours behind the end of the table as black.
        let present = table.clamped(to: 0..<bytes.count)
        let colours = bytes[present] + [UInt8](repeating: 0, count: 768 - present.count)
        return SourceFile(
            Array("GIF89a".utf8) + size + [0xF7, 0, 0] + colours
                + (key.map { [0x21, 0xF9, 4, 1, 0, 0, $0, 0] } ?? [])
                + [0x2C, 0, 0, 0, 0] + size + [flags & 0x40] + bytes[frame.data] + [0x3B])
    }
}
