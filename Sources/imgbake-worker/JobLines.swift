import FoundationEssentials
import Glibc
import Recipes

/// Jobs in, answers out: one line of JSON each.
struct JobLines {
    enum Failure: Error {
        case malformed(String)
        /// The other end of the output is gone.
        case closed
    }

    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()
    private let output: Int32

    /// - Parameter output: A descriptor for nothing but these lines.
    init(output: Int32) {
        self.output = output
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// The next job, or nil at the end of the input.
    func next() throws -> Job? {
        guard let line = readLine() else { return nil }
        do {
            return try decoder.decode(Job.self, from: Data(line.utf8))
        } catch {
            throw Failure.malformed(line)
        }
    }

    func send(_ value: some Encodable) throws {
        let line = try encoder.encode(value) + [0x0A]
        var rest = Array(line)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Failure.closed }
            rest = rest.dropFirst(count)
        }
    }
}
