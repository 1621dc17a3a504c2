package import ImageFormats

/// A worker's answer to a ``Job``: a line of JSON on the same socket.
package enum JobResult: Codable, Hashable, Sendable {
    case header(ImageHeader)
    case variant(Variant)
    case image(Image)
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

    /// A header, and the variant that was planned by it.
    package struct Image: Codable, Hashable, Sendable {
        package var header: ImageHeader
        /// The plan's recipe and the variant; nil if the plan makes none.
        package var made: Made?

        package init(header: ImageHeader, made: Made? = nil) {
            self.header = header
            self.made = made
        }
    }

    /// A variant with its recipe.
    package struct Made: Codable, Hashable, Sendable {
        package var recipe: Recipe
        package var variant: Variant

        package init(recipe: Recipe, variant: Variant) {
            self.recipe = recipe
            self.variant = variant
        }
    }

    /// The variant in the answer, if there is one.
    package var madeVariant: Variant? {
        switch self {
        case .variant(let variant): variant
        case .image(let image): image.made?.variant
        case .header, .failure: nil
        }
    }

    /// The reason why a job failed; the worker continues.
    package struct Failure: Codable, Hashable, Sendable, Error {
        package enum Code: String, Codable, Sendable {
            /// The bytes are not an image of a known format.
            case unsupported
            /// The image is damaged or cut short.
            case corrupt
            /// The image has more pixels than ``Limits/pixels``.
            case tooManyPixels
            /// The image is too wide or too high for the format, or too large for its encoder.
            case tooLargeForFormat
            /// The job needs more memory than ``Limits/memoryBytes`` allows.
            case outOfMemory
            /// An SVG that could run or load something.
            case unsafe
            /// The variant could not be written.
            case output
        }

        package var code: Code
        /// One clause without a period that can follow the URL and a colon.
        package var reason: String

        /// - Parameters:
        ///   - code: The kind of failure.
        ///   - reason: The reason; see ``ForeignText/tidied(_:longest:)``.
        package init(_ code: Code, _ reason: String) {
            self.code = code
            self.reason = ForeignText.tidied(reason)
        }
    }
}

/// The lines that a worker sends.
package enum WorkerMessage {
    /// The longest line that answers a job, in bytes.
    package static let longestAnswer = 16 << 10
    /// The longest handshake, in bytes; it has the paths of the libraries.
    package static let longestGreeting = 64 << 10
}

/// The first line that a worker sends, after it has entered its sandbox and before it reads a job.
package struct WorkerGreeting: Codable, Hashable, Sendable {
    /// The names and versions of the encoders.
    ///
    /// Equal encoders make equal bytes, so a variant is cached under this text, its source and its
    /// recipe.
    package var encoder: String
    /// The absolute paths of the shared libraries that ``encoder`` was read from.
    ///
    /// As long as none of these files changes, ``encoder`` does not change.
    package var libraries: [String]
    /// The state of the sandbox.
    package var sandbox: SandboxReport
    /// The formats that the libraries read and write.
    package var formats: Formats?

    /// Names of formats, in the order of the table of formats.
    package struct Formats: Codable, Hashable, Sendable {
        package var reads: [String]
        package var writes: [String]

        package init(reads: [String], writes: [String]) {
            self.reads = reads
            self.writes = writes
        }
    }

    package init(
        encoder: String, libraries: [String], sandbox: SandboxReport, formats: Formats? = nil
    ) {
        self.encoder = encoder
        self.libraries = libraries
        self.sandbox = sandbox
        self.formats = formats
    }
}
