package import Foundation
import Glibc
import Locks
import WorkerSandbox

/// The Chrome DevTools Protocol over a socket: JSON messages, each terminated by a NUL.
///
/// https://chromedevtools.github.io/devtools-protocol/
package final class DevTools: Sendable {
    /// Receives the name of an event and the complete message.
    package typealias Listener = @Sendable (String, Data) -> Void

    private let process: BrowserProcess
    private let state = SharedState(State())
    fileprivate typealias SharedState = Locked<State>
    /// Held while a message is written.
    private let writing = Locked(())

    fileprivate struct State {
        var lastID = 0
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        var listeners: [String: Listener] = [:]
    }

    /// Starts a browser with an empty profile, which ends when nothing references this value.
    ///
    /// - Parameters:
    ///   - executable: The path of Chromium or Chrome.
    ///   - arguments: Its arguments, besides those that every headless browser needs.
    /// - Returns: The connection to the browser.
    /// - Throws: ``BrowserError`` if it cannot be started or ends at once; `CancellationError`.
    package static func start(_ executable: String, _ arguments: [String]) async throws -> DevTools
    {
        // Chromium's own sandbox does not work for root.
        let root = geteuid() == 0 ? ["--no-sandbox"] : []
        let process = try BrowserProcess(
            executable: executable, arguments: Self.arguments + arguments + root + ["about:blank"])
        let devTools = DevTools(process)
        try await devTools.send("Browser.getVersion")
        return devTools
    }

    private static let arguments = [
        "--remote-debugging-pipe", "--headless=new", "--disable-gpu", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-default-apps", "--disable-extensions", "--no-first-run",
        "--no-default-browser-check", "--disable-crash-reporter", "--disable-breakpad",
        "--password-store=basic", "--use-mock-keychain", "--mute-audio",
        // Hidden pages must be drawn too.
        "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        // /dev/shm is small in a container.
        "--disable-dev-shm-usage",
    ]

    private init(_ process: BrowserProcess) {
        self.process = process
        let reader = Reader(process: process, state: state)
        Thread.detachNewThread { reader.read() }
    }

    deinit { process.end(within: 5) }

    /// Ends the browser, and waits until its profile has been removed.
    package func close() async {
        post("Browser.close")
        let process = process
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.end(within: 10)
                continuation.resume()
            }
        }
    }

    /// Whether the browser has ended.
    package var hasEnded: Bool { state.withLock(\.isClosed) }

    /// Sets the listener for the events of a session.
    package func listen(to session: String, _ listener: Listener?) {
        state.withLock { $0.listeners[session] = listener }
    }

    /// Sends a command and waits for its result.
    ///
    /// - Throws: ``BrowserError`` if the browser rejects it or has ended; `CancellationError`.
    @discardableResult
    package func send(
        _ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil
    ) async throws -> Data {
        let id = newID()
        let message = try Self.message(id, method, parameters, session)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isClosed = state.withLock { state in
                    if !state.isClosed { state.waiting[id] = continuation }
                    return state.isClosed
                }
                if isClosed { return continuation.resume(throwing: BrowserError(of: process)) }
                if Task.isCancelled { return finish(id, .failure(CancellationError())) }
                write(message)
            }
        } onCancel: {
            finish(id, .failure(CancellationError()))
        }
    }

    /// Sends a command without waiting for its result.
    package func post(
        _ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil
    ) {
        guard let message = try? Self.message(newID(), method, parameters, session) else { return }
        write(message)
    }

    /// Sends a command and decodes its result.
    package func send<Result: Decodable>(
        _ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil,
        as type: Result.Type
    ) async throws -> Result {
        let reply = try await send(method, parameters, session: session)
        return try JSONDecoder().decode(Reply<Result>.self, from: reply).result
    }

    private struct Reply<Result: Decodable>: Decodable { var result: Result }

    private struct Command: Encodable {
        var id: Int
        var method: String
        var params: [String: JSONValue]
        var sessionId: String?
    }

    private func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private static func message(
        _ id: Int, _ method: String, _ parameters: [String: JSONValue], _ session: String?
    ) throws -> Data {
        let command = Command(id: id, method: method, params: parameters, sessionId: session)
        return try JSONEncoder().encode(command) + [0]
    }

    private func finish(_ id: Int, _ result: Result<Data, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
    }

    private func write(_ message: Data) {
        // The reader detects the end too, and informs the waiting callers.
        writing.withLock { _ in _ = DescriptorSocket.send(message, over: process.socket) }
    }
}

/// The thread that reads what the browser sends.
private struct Reader: Sendable {
    let process: BrowserProcess
    let state: DevTools.SharedState

    /// The size of the largest message, in bytes.
    private static let largestMessage = 256 << 20

    /// The common fields of replies and events.
    private struct Envelope: Decodable {
        var id: Int?
        var method: String?
        var sessionId: String?
        var error: ErrorMessage?

        struct ErrorMessage: Decodable { var message: String }
    }

    /// Reads until the browser closes the socket.
    func read() {
        var pending = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while pending.count <= Self.largestMessage {
            let count = recv(process.socket, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            let pieces = buffer[..<count].split(separator: 0, omittingEmptySubsequences: false)
            for piece in pieces.dropLast() {
                receive(pending + piece)
                pending = Data()
            }
            pending += pieces.last ?? []
        }
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.listeners) = ([:], [:]) }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: BrowserError(of: process)) }
    }

    private func receive(_ message: Data) {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
        if let id = envelope.id {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
            if let error = envelope.error {
                waiting?.resume(throwing: BrowserError(error.message))
            } else {
                waiting?.resume(returning: message)
            }
        } else if let method = envelope.method, let session = envelope.sessionId {
            state.withLock { $0.listeners[session] }?(method, message)
        }
    }
}

/// The reason why the browser could not do something.
package struct BrowserError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The error of a browser that has ended.
    fileprivate init(of process: BrowserProcess) {
        self.init("the browser has ended\(process.firstErrorLine)")
    }
}
