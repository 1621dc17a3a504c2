import Baking
import Logging

/// Writes the library's log messages to standard error, one per line, in the form of warnings.
struct ConsoleLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Console.error.write(printable("imgbake: warning: \(event.message)") + "\n")
    }
}
