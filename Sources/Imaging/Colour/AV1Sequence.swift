/// The sequence header in the first bytes of an AV1 stream (AV1 Bitstream, section 5.5).
struct AV1Sequence {
    /// Whether samples use all values, and not only those from 16 to 235.
    private(set) var isFullRange = false

    private let bytes: [UInt8]
    private var position = 0

    /// Reads the first bytes of the stream, of which 64 are enough; nil if they do not begin with a
    /// header, or with one that has the times of frames.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Units with a header of one byte and perhaps a second one, and a length.
        while true {
            guard position / 8 + 3 < bytes.count else { return nil }
            skip(1)
            let type = bits(4)
            let (isExtended, hasLength) = (bits(1) == 1, bits(1) == 1)
            skip(isExtended ? 9 : 1)
            var (length, shift) = (0, 0)
            while hasLength, shift < 28 {
                let byte = bits(8)
                length |= (byte & 127) << shift
                shift += 7
                if byte < 128 { break }
            }
            if type == 1 { break }
            guard type == 2 else { return nil }
            skip(8 * length)
        }
        guard readHeader(), position <= 8 * bytes.count else { return nil }
    }

    private mutating func readHeader() -> Bool {
        let profile = bits(3)
        skip(1)
        let isReduced = bits(1) == 1
        if isReduced {
            skip(5)
        } else {
            guard bits(1) == 0 else { return false }
            let hasDelay = bits(1) == 1
            for _ in 0...bits(5) {
                skip(12)
                if bits(5) > 7 { skip(1) }
                if hasDelay, bits(1) == 1 { skip(4) }
            }
        }
        let (width, height) = (bits(4), bits(4))
        skip(width + height + 2)
        if !isReduced, bits(1) == 1 { skip(7) }
        skip(3)
        if !isReduced { skipTools() }
        skip(3)
        let isDeep = bits(1) == 1
        if profile == 2, isDeep { skip(1) }
        let isMonochrome = profile != 1 && bits(1) == 1
        var code: [Int] = []
        if bits(1) == 1 { code = [bits(8), bits(8), bits(8)] }
        // Identity has no bit.
        isFullRange = !isMonochrome && code == [1, 13, 0] || bits(1) == 1
        return true
    }

    /// Skips the tools that a still picture does not use.
    private mutating func skipTools() {
        skip(4)
        let hasOrder = bits(1) == 1
        if hasOrder { skip(2) }
        let isScreen = bits(1) == 1 || bits(1) == 1
        if isScreen, bits(1) == 0 { skip(1) }
        if hasOrder { skip(3) }
    }

    private mutating func skip(_ count: Int) { position += count }

    private mutating func bits(_ count: Int) -> Int {
        (0..<count).reduce(0) { value, _ in
            defer { position += 1 }
            guard position / 8 < bytes.count else { return value << 1 }
            return value << 1 | Int(bytes[position / 8] >> (7 - position % 8) & 1)
        }
    }
}
