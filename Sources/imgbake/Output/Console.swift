import Files
import Glibc
import Locks
import Logging
import Records
import Reports
import SystemPackage

/// A standard stream of the process.
struct Console: Sendable {
    static let output = Console(descriptor: STDOUT_FILENO)
    static let error = Console(descriptor: STDERR_FILENO)

    /// The first error of writing to standard output; nil if there was none.
    ///
    /// A closed pipe is none: its reader has all that it wants.
    ///
    /// It is kept until the end: a bake should not fail halfway because of its report, but its exit
    /// code must tell.
    static var outputError: FileError? { firstError.withLock(\.self) }
    private static let firstError = Locked<FileError?>(nil)

    private let descriptor: Int32

    /// Whether the stream is a terminal that can move its cursor.
    var isTerminal: Bool {
        isatty(descriptor) == 1 && environmentVariable("TERM") != "dumb"
    }

    /// Whether messages have colours: on a terminal, unless `NO_COLOR` is set
    /// (<https://no-color.org>).
    var showsColours: Bool {
        isTerminal && (environmentVariable("NO_COLOR") ?? "").isEmpty
    }

    /// Whether characters outside ASCII are shown, by the locale's encoding.
    ///
    /// `LC_ALL` takes precedence over `LC_CTYPE`, and that over `LANG` (POSIX, "Environment
    /// Variables").
    static var showsUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environmentVariable)
            .first { !$0.isEmpty }
        let encoding = locale?.lowercased().replacing("-", with: "") ?? ""
        return encoding.contains("utf8")
    }

    /// The width in columns; 80 if it is unknown.
    var columns: Int {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Writes all of `text`; an error on standard output is kept in ``outputError``.
    func write(_ text: String) { write(bytes: Array(text.utf8)) }

    /// Writes a value as one line of JSON, with the member `version`.
    ///
    /// The version is raised when a member is removed or changes its meaning, not when one is added.
    func write(json value: some Encodable) {
        write(canonicalText(of: VersionedOutput(value: value)) + "\n")
    }

    /// Writes a value as JSON, or else a text, which ends with a newline.
    func write(_ text: String, or value: some Encodable, asJSON: Bool) {
        if asJSON { write(json: value) } else { write(text) }
    }

    /// Writes all of `bytes`, as ``write(_:)``.
    func write(bytes: [UInt8]) {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(bytes)
        } catch Errno.brokenPipe {
        } catch {
            guard descriptor == STDOUT_FILENO else { return }
            let error = FileError(
                "write to", "standard output", code: error as? Errno ?? .ioError)
            Self.firstError.withLock { $0 = $0 ?? error }
        }
    }

    /// Opens the null device for each standard stream that is closed.
    ///
    /// Otherwise the next file would get its number, and messages would be written to that file.
    static func openStandardStreams() {
        for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}

/// An object of the JSON output with the version of its form.
struct VersionedOutput<Value: Encodable>: Encodable {
    private enum Key: String, CodingKey { case version, generator }

    let value: Value
    /// The mark of a report; nil for other outputs.
    var generator: String?

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        try container.encodeIfPresent(generator, forKey: .generator)
    }
}

/// Writes the library's log messages to standard error, one per line, as the command writes its own.
struct ConsoleLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let kind = event.level < .warning ? "" : "warning: "
        Console.error.write(printable("imgbake: \(kind)\(event.message)") + "\n")
    }
}
