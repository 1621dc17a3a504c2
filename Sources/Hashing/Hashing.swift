internal import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
///
/// A copy continues by itself, so the hash of a beginning can be kept.
package struct SHA256: Sendable {
    private var state = SHA256_CTX()

    /// The hash of no bytes so far.
    package init() { SHA256_Init(&state) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    /// The 32 bytes of the hash of all bytes so far.
    package func finalize() -> [UInt8] {
        var state = state
        return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            count = SHA256_Final(buffer.baseAddress, &state) == 1 ? 32 : 0
        }
    }
}

/// A hash function.
package enum HashFunction: String, Sendable {
    /// Only for the names that git gives to files.
    case sha1
    case sha256, sha384, sha512

    private var function: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }

    /// The hash of some bytes.
    package func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return result { EVP_Digest(bytes, bytes.count, $0, $1, function, nil) == 1 }
    }

    /// The authentication code of some bytes (RFC 2104).
    package func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        result { HMAC(function, key, Int32(key.count), bytes, bytes.count, $0, $1) != nil }
    }

    private func result(
        _ write: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>) -> Bool
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            count = write(buffer.baseAddress, &length) ? Int(length) : 0
        }
    }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits for each byte.
    package var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
