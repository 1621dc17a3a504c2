import Logging

extension Box where Value == [String] {
    /// A logger that appends error messages to this object.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in LineHandler(lines: self) }
        logger.logLevel = .error
        return logger
    }
}

private struct LineHandler: LogHandler {
    let lines: Box<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.change { $0.append("\(event.message)") }
    }
}
