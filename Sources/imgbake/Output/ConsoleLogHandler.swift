import Baking
import Logging

/// Writes what the library finds worth telling to standard error, a line each, as other warnings are.
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
