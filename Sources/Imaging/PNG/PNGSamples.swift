internal import CVips
import Glibc

/// The samples of a picture in memory, row by row, in the byte order of the processor.
struct PNGSamples {
    let width: Int
    let height: Int
    /// 1 for grey, 2 for grey and alpha, 3 for RGB, 4 for RGB and alpha.
    private(set) var channels: Int
    /// The bits of a sample: 8 or 16.
    private(set) var bits: Int
    private(set) var bytes: [UInt8]

    /// The largest number of bytes.
    private static let largest = 32 << 20
    /// The memory for each byte to write a PNG with a palette and to check it, and that of the
    /// encoder itself.
    private static let memory = (perByte: 10, encoder: 24 << 20)

    var hasAlpha: Bool { channels % 2 == 0 }
    var isGrey: Bool { channels <= 2 }
    var pixelSize: Int { channels * bits / 8 }

    /// The number of colours with their alpha; nil if it is greater than 256, or unknown because the
    /// samples have 16 bits.
    var colourCount: Int? {
        guard bits == 8 else { return nil }
        var colours: Set<UInt32> = []
        var last: UInt32?
        for start in stride(from: 0, to: bytes.count, by: channels) {
            let colour = bytes[start..<start + channels].reduce(0) { $0 << 8 | UInt32($1) }
            if colour == last { continue }
            last = colour
            colours.insert(colour)
            if colours.count > 256 { return nil }
        }
        return colours.count
    }

    /// Computes the samples of `picture`.
    ///
    /// The result is nil if the picture is not made of 8 or 16 bits of grey or RGB, is too large or
    /// cannot be decoded.
    init?(_ picture: borrowing Picture) {
        let image = picture.image
        let format = vips_image_get_format(image)
        let bands = Int(vips_image_get_bands(image))
        let rows = Int(vips_image_get_height(image))
        let size = picture.width * rows * bands * (format == VIPS_FORMAT_UCHAR ? 1 : 2)
        guard format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT, bands <= 4,
            size <= Self.largest,
            Memory.isAvailable(size * Self.memory.perByte + Self.memory.encoder),
            let computed = try? picture.bytes()
        else { return nil }
        bytes = computed
        (width, height, channels) = (picture.width, rows, bands)
        bits = format == VIPS_FORMAT_UCHAR ? 8 : 16
    }
}

// MARK: - Reductions without loss

extension PNGSamples {
    /// The same pixels with as few bits and channels as they need.
    ///
    /// - Parameter keepsModel: Whether grey and RGB stay as they are, because a colour profile
    ///   belongs to one of them.
    /// - Returns: The reduced samples.
    func reduced(keepsModel: Bool) -> PNGSamples {
        var result = self
        if bits == 16, hasEqualHalves { result.keep(bytes: [0], of: 2, bits: 8) }
        if result.hasAlpha, result.isOpaque { result.dropAlpha() }
        if !keepsModel, !result.isGrey, result.hasEqualColours { result.dropColour() }
        return result
    }

    /// Whether each 16-bit sample is an 8-bit sample scaled to 16 bits.
    private var hasEqualHalves: Bool {
        bytes.withUnsafeBufferPointer { bytes in
            for index in stride(from: 0, to: bytes.count, by: 2)
            where bytes[index] != bytes[index + 1] { return false }
            return true
        }
    }

    private var isOpaque: Bool {
        let (size, alpha) = (pixelSize, bits / 8)
        return bytes.withUnsafeBufferPointer { bytes in
            for index in stride(from: size - alpha, to: bytes.count, by: size) {
                if bytes[index] != 255 || bytes[index + alpha - 1] != 255 { return false }
            }
            return true
        }
    }

    private var hasEqualColours: Bool {
        let (size, step) = (pixelSize, bits / 8)
        return bytes.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: bytes.count, by: size) {
                for index in start..<start + step
                where bytes[index] != bytes[index + step]
                    || bytes[index] != bytes[index + 2 * step]
                {
                    return false
                }
            }
            return true
        }
    }

    private mutating func dropAlpha() {
        let size = pixelSize
        keep(bytes: Array(0..<size - bits / 8), of: size, bits: bits)
        channels -= 1
    }

    private mutating func dropColour() {
        let (size, step) = (pixelSize, bits / 8)
        let alpha = hasAlpha ? Array(size - step..<size) : []
        keep(bytes: Array(0..<step) + alpha, of: size, bits: bits)
        channels -= 2
    }

    /// Keeps the bytes at these offsets of each group of `size` bytes.
    private mutating func keep(bytes offsets: [Int], of size: Int, bits: Int) {
        let old = bytes
        let count = old.count / size * offsets.count
        bytes = [UInt8](unsafeUninitializedCapacity: count) { new, written in
            old.withUnsafeBufferPointer { old in
                var target = 0
                for start in stride(from: 0, to: old.count, by: size) {
                    for offset in offsets {
                        new[target] = old[start + offset]
                        target += 1
                    }
                }
            }
            written = count
        }
        self.bits = bits
    }
}

/// The memory that is left to this process, which its sandbox limits.
enum Memory {
    /// Whether `count` bytes can be allocated now.
    ///
    /// Swift ends the process where an array cannot be allocated, so what needs much memory asks
    /// first.
    static func isAvailable(_ count: Int) -> Bool {
        // The compiler leaves out a malloc whose memory is only freed.
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, count)
        return true
    }
}
