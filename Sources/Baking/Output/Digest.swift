import Crypto

extension SHA256.Digest {
    /// The digest as 64 lower-case hex digits.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, byte) in self.enumerated() {
                buffer[2 * index] = digits[Int(byte >> 4)]
                buffer[2 * index + 1] = digits[Int(byte & 15)]
            }
            return 64
        }
    }
}
