import Glibc
import WorkerSandbox

/// A worker that passes jobs on to the real one, but crashes or hangs at one source.
struct Relay {
    /// The number of bytes of that source.
    let size: Int
    let hangs: Bool
    let worker: String

    init(size: String, end: String, worker: String) {
        self.size = Int(size) ?? 0
        hangs = end == "hang"
        self.worker = worker
    }

    func run() throws {
        let real = try StartedProgram(worker, [])
        Self.send(Self.answer(from: real.socket))
        while let order = DescriptorSocket.receive(from: STDIN_FILENO) {
            if let source = order.descriptors.first, lseek(source, 0, SEEK_END) == size {
                while hangs { pause() }
                exit(1)
            }
            guard DescriptorSocket.send(order.bytes, order.descriptors, over: real.socket) else {
                exit(1)
            }
            for descriptor in order.descriptors { close(descriptor) }
            Self.send(Self.answer(from: real.socket))
        }
    }

    /// The next line from the real worker.
    static func answer(from socket: Int32) -> [UInt8] {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard let piece = DescriptorSocket.receive(from: socket) else { exit(1) }
            line += piece.bytes
        }
        return line
    }

    /// Sends a line to the command.
    static func send(_ line: [UInt8]) {
        guard DescriptorSocket.send(line, over: STDIN_FILENO) else { exit(1) }
    }
}
