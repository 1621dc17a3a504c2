import Foundation
import Glibc
import Locks

/// The Chrome DevTools Protocol over a socket: JSON messages, each terminated by a NUL.
///
/// https://chromedevtools.github.io/devtools-protocol/
final class DevTools: Sendable {
    /// Receives the name of an event and the complete message.
    typealias Listener = @Sendable (String, Data) -> Void

    private let process: BrowserProcess
    private let state = Locked(State())
    /// Held while a message is written.
    private let writing = Locked(())

    private struct State {
        var lastID = 0
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        var listeners: [String: Listener] = [:]
    }

    init(_ process: BrowserProcess) {
        self.process = process
        Thread.detachNewThread { [self] in read() }
    }

    /// Sets the listener for the events of a session.
    func listen(to session: String, _ listener: Listener?) {
        state.withLock { $0.listeners[session] = listener }
    }

    /// Sends a command and waits for its result.
    ///
    /// - Throws: ``BrowserError`` if the browser rejects it or has ended; `CancellationError`.
    @discardableResult
    func send(
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
                if isClosed { return continuation.resume(throwing: endFault) }
                if Task.isCancelled { return finish(id, .failure(CancellationError())) }
                write(message)
            }
        } onCancel: {
            finish(id, .failure(CancellationError()))
        }
    }

    /// Sends a command without waiting for its result.
    func post(_ method: String, _ parameters: [String: JSONValue] = [:]) {
        guard let message = try? Self.message(newID(), method, parameters, nil) else { return }
        write(message)
    }

    /// Sends a command and decodes its result.
    func send<Result: Decodable>(
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

    /// The common fields of replies and events.
    private struct Envelope: Decodable {
        var id: Int?
        var method: String?
        var sessionId: String?
        var error: ErrorMessage?

        struct ErrorMessage: Decodable { var message: String }
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

    private var endFault: BrowserError {
        BrowserError(description: "the browser has ended: \(process.lastErrors)")
    }

    private func write(_ message: Data) {
        writing.withLock { _ in
            message.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                    let count = Glibc.send(
                        process.socket, rest.baseAddress, rest.count,
                        Int32(MSG_NOSIGNAL))
                    if count < 0 && errno == EINTR { continue }
                    // The reader detects the end too, and informs the waiting callers.
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }
    }

    /// Reads until the browser closes the socket.
    private func read() {
        var pending = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
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
            state.listeners = [:]
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: endFault) }
    }

    private func receive(_ message: Data) {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
        if let id = envelope.id {
            let error = envelope.error.map { BrowserError(description: $0.message) }
            finish(id, error.map { .failure($0) } ?? .success(message))
        } else if let method = envelope.method, let session = envelope.sessionId {
            state.withLock { $0.listeners[session] }?(method, message)
        }
    }
}

/// The reason why the browser could not do something.
package struct BrowserError: Error, CustomStringConvertible {
    package let description: String
}
