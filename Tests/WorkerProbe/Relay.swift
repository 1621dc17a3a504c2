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
        forwardAnswer(from: real.socket)
        while let order = DescriptorSocket.receive(from: STDIN_FILENO) {
            if let source = order.descriptors.first, lseek(source, 0, SEEK_END) == size {
                while hangs { pause() }
                exit(1)
            }
            guard DescriptorSocket.send(order.bytes, order.descriptors, over: real.socket) else {
                exit(1)
            }
            for descriptor in order.descriptors { close(descriptor) }
            forwardAnswer(from: real.socket)
        }
    }

    private func forwardAnswer(from socket: Int32) {
        repeat {
            guard let answer = DescriptorSocket.receive(from: socket),
                DescriptorSocket.send(answer.bytes, over: STDIN_FILENO)
            else { exit(1) }
            if answer.bytes.last == UInt8(ascii: "\n") { return }
        } while true
    }
}
