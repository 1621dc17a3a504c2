import FetchCache
import Files
import Recipes
import Records
import Sites

/// Stores which encoders the workers have, between bakes.
///
/// Variants are cached under the encoders that made them. To start a worker only to ask for its
/// encoders is slow, so its answer is stored with the sizes and times of its files.
package struct EncoderStore: Sendable {
    private struct Stored: Remembered {
        var encoders: String
        var libraries: [String]
        /// The sizes and times of the worker and of its libraries.
        var state: String
        /// Whether the sandbox of the worker was weak.
        var isWeak: Bool
    }

    /// They belong to the worker, whichever build of the command asks.
    private static let build = ""

    let worker: String
    let cache: FetchManager
    /// Whether the results of workers in a weak sandbox may be used.
    let allowsWeakSandbox: Bool

    /// The encoders, if the worker and its libraries have not changed since.
    func recall() async -> String? {
        guard let stored = try? await memory.value(worker, of: Self.build),
            (try? WorkerGreeting.check(
                encoder: stored.encoders, libraries: stored.libraries)) != nil,
            stored.state == state(of: stored.libraries),
            allowsWeakSandbox || !stored.isWeak
        else { return nil }
        return stored.encoders
    }

    /// Stores the encoders of a worker.
    ///
    /// A failure is not an error; the next bake then has to start a worker.
    ///
    /// - Returns: The encoders.
    func remember(_ greeting: WorkerGreeting) async -> String {
        let encoders = greeting.encoders
        let libraries = greeting.libraries
        if let state = state(of: libraries) {
            let stored = Stored(
                encoders: encoders, libraries: libraries, state: state,
                isWeak: !greeting.sandbox.isClosed)
            try? await memory.set([worker: stored], of: Self.build)
        }
        return encoders
    }

    private var memory: Memory<Stored> { Memory(of: "encoders", in: cache) }

    /// Nil if a file is missing.
    private func state(of libraries: [String]) -> String? {
        var parts: [String] = []
        for file in [worker] + libraries {
            guard let status = FileStatus(file, followingLinks: true) else { return nil }
            parts.append(status.stateText)
        }
        return parts.joined(separator: " ")
    }
}

extension FileStatus {
    /// The size and the time of the content.
    var stateText: String { "\(byteCount):\(modified.seconds).\(modified.nanoseconds)" }
}

extension WorkerGreeting {
    /// Stands for the encoders and for whether they run in a weak sandbox.
    ///
    /// Variants from a weak sandbox are not used any more once it is not allowed.
    fileprivate var encoders: String {
        let name = sandbox.isClosed ? encoder : encoder + " in a weak sandbox"
        return String(BlobDigest(hashing: Array(name.utf8)).hex.prefix(32))
    }
}
