package import ImageFormats

/// A worker's answer to a ``Job``: a line of JSON on the same socket.
package enum JobResult: Codable, Hashable, Sendable {
    case image(Image)
    /// The source is not an image that can be read, whatever variants are wanted.
    case failure(JobError)

    /// The header of a source, and an outcome for each variant of the job, in the same order.
    package struct Image: Codable, Hashable, Sendable {
        package var header: ImageHeader
        package var variants: [Outcome]

        package init(header: ImageHeader, variants: [Outcome] = []) {
            self.header = header
            self.variants = variants
        }
    }

    /// The outcome for one variant of a job.
    package enum Outcome: Codable, Hashable, Sendable {
        case made(Made)
        /// The plan makes no variant: the source is passed on or refused.
        case notMade
        case failure(JobError)
    }

    /// A variant that was made.
    package struct Variant: Codable, Hashable, Sendable {
        package var format: ImageFormat
        package var width: Int
        package var height: Int
        /// Whether the source's own bytes are the variant, in which case the output stays empty.
        package var isSource: Bool
        /// The encoder's number of a lossy encoding; nil without loss, and for the source's bytes.
        package var quality: Int?
        /// The dominant colour of a placeholder, as `0xRRGGBB`; nil for other variants.
        package var colour: Int?

        package init(format: ImageFormat, width: Int, height: Int, isSource: Bool) {
            self.format = format
            self.width = width
            self.height = height
            self.isSource = isSource
        }
    }

    /// A variant with the recipe that was planned for it.
    package struct Made: Codable, Hashable, Sendable {
        package var recipe: Recipe
        package var variant: Variant

        package init(recipe: Recipe, variant: Variant) {
            self.recipe = recipe
            self.variant = variant
        }
    }

    /// The reason why a job or one of its variants failed; the worker continues.
    package struct JobError: Codable, Hashable, Sendable, Error {
        package enum Code: String, Codable, Sendable {
            /// The bytes are not an image of a known format.
            case unsupported
            /// The installed libraries cannot decode this format.
            case noDecoder
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
    /// The longest line that answers a job, in bytes; each of ``Job/mostVariants`` has a kilobyte.
    package static let longestAnswer = 16 << 10
    /// The longest handshake, in bytes; it has the paths of the libraries.
    package static let longestGreeting = 64 << 10
}

/// The first line that a worker sends, after it has entered its sandbox and before it reads a job.
package struct WorkerGreeting: Codable, Hashable, Sendable {
    /// The names and versions of the encoders.
    ///
    /// Equal encoders make equal bytes, so a variant is cached under a digest of this text, its source
    /// and its recipe.
    package var encoder: String
    /// The absolute paths under which the shared libraries that ``encoder`` names were opened.
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
