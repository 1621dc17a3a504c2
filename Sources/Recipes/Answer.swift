package import ImageFormats

/// What a worker says to a ``Job``: a line of JSON on the same socket.
package enum Answer: Codable, Hashable, Sendable {
    case header(ImageHeader)
    case variant(Variant)
    case failure(Failure)

    /// A variant that was made.
    package struct Variant: Codable, Hashable, Sendable {
        package var format: ImageFormat
        package var width: Int
        package var height: Int
        /// Whether the source's own bytes are the variant, in which case the output stays empty.
        package var isSource: Bool

        package init(format: ImageFormat, width: Int, height: Int, isSource: Bool) {
            self.format = format
            self.width = width
            self.height = height
            self.isSource = isSource
        }
    }

    /// Why a job could not be done; the worker lives on.
    package struct Failure: Codable, Hashable, Sendable, Error {
        package enum Code: String, Codable, Sendable {
            /// The bytes are no image of a format that is known here.
            case unsupported
            /// The image is damaged or cut short.
            case corrupt
            /// More pixels than ``Limits/pixels``.
            case tooManyPixels
            /// Too wide or too high for the format, or larger than its encoder can handle.
            case tooLargeForFormat
            /// More memory than ``Limits/memoryBytes`` leaves.
            case outOfMemory
            /// An SVG that could run or load something.
            case unsafe
            /// The variant could not be written.
            case output
        }

        package var code: Code
        /// One clause without a period, fit to follow the URL and a colon.
        package var reason: String

        package init(_ code: Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }
}

/// The first line that a worker says, when its sandbox is closed and before it reads a job.
package struct Hello: Codable, Hashable, Sendable {
    /// Names the encoders and their versions; equal encoders make equal bytes, so a variant is
    /// cached under this besides its source and recipe.
    package var encoder: String
    /// The absolute paths of the shared libraries that ``encoder`` was read from.
    ///
    /// While none of these files has changed, neither has ``encoder``.
    package var libraries: [String]
    /// Which protection is in force.
    package var sandbox: SandboxReport

    package init(encoder: String, libraries: [String], sandbox: SandboxReport) {
        self.encoder = encoder
        self.libraries = libraries
        self.sandbox = sandbox
    }
}
