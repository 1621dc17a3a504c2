import Baking
import Logging
import Reports

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
