import FoundationEssentials
import Glibc
import Recipes
import SystemPackage
import WorkerSandbox

/// Reads jobs from the socket on standard input and writes answers to it, each as one line of JSON.
struct JobSocket: ~Copyable {
    enum SocketError: Error {
        case malformed(String)
        /// The other end is closed.
        case closed
    }

    /// A job with its files, which are closed with it.
    struct Order: ~Copyable {
        let job: Job
        /// Open for reading.
        let source: Int32
        /// Open for writing, one for each variant.
        let outputs: [Int32]

        deinit {
            for descriptor in [source] + outputs { close(descriptor) }
        }
    }

    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()
    private var received: [UInt8] = []
    private var descriptors: [Int32] = []

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// The next job, or nil at the end of the input.
    mutating func next(_ process: JobProcess) throws -> Order? {
        guard let line = try readLine(process) else { return nil }
        guard let job = try? decoder.decode(Job.self, from: Data(line)),
            let source = descriptors.first, descriptors.count == 1 + job.variants.count
        else { throw SocketError.malformed(String(decoding: line, as: UTF8.self)) }
        let outputs = Array(descriptors.dropFirst())
        descriptors = []
        return Order(job: job, source: source, outputs: outputs)
    }

    /// A message as a line without its end.
    func line(_ value: some Encodable) throws -> [UInt8] { [UInt8](try encoder.encode(value)) }

    func send(_ line: [UInt8]) throws {
        let line = line + [UInt8(ascii: "\n")]
        // The sandbox rejects the calls that could send descriptors.
        do { try FileDescriptor.standardInput.writeAll(line) } catch { throw SocketError.closed }
    }

    private mutating func readLine(_ process: JobProcess) throws -> [UInt8]? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                return line
            }
            guard received.count < 1 << 20 else { throw SocketError.malformed("a line over 1 MiB") }
            process.wait(for: STDIN_FILENO)
            guard let more = DescriptorSocket.receive(from: STDIN_FILENO) else {
                guard received.isEmpty else {
                    throw SocketError.malformed(String(decoding: received, as: UTF8.self))
                }
                return nil
            }
            received += more.bytes
            descriptors += more.descriptors
        }
    }
}
