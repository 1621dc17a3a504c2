import Glibc
import WorkerSandbox

/// A worker that passes jobs on to the real one, and writes a line at the start and at the end of
/// each into a file: `start BYTES` and `end BYTES`, with the size of the source.
///
/// Several workers share the file. The end is written before the command gets the answer, so two
/// jobs overlap in the file only if the command has let them run at the same time.
struct JobRecorder {
    private let file: Int32
    /// The number of jobs that must have started before the first one is done.
    private let count: Int
    private let worker: String

    init(file: String, count: String, worker: String) {
        self.file = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        self.count = Int(count) ?? 0
        self.worker = worker
    }

    func run() throws {
        let real = try StartedProgram(worker, [])
        Relay.send(Relay.answer(from: real.socket))
        while let order = DescriptorSocket.receive(from: STDIN_FILENO) {
            let size = order.descriptors.first.map { lseek($0, 0, SEEK_END) } ?? 0
            note("start", size)
            while startCount < count { usleep(2_000) }
            guard DescriptorSocket.send(order.bytes, order.descriptors, over: real.socket) else {
                exit(1)
            }
            for descriptor in order.descriptors { close(descriptor) }
            let answer = Relay.answer(from: real.socket)
            note("end", size)
            Relay.send(answer)
        }
    }

    private func note(_ event: String, _ size: off_t) {
        let line = Array("\(event) \(size)\n".utf8)
        guard write(file, line, line.count) == line.count else { exit(1) }
    }

    private var startCount: Int {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let length = pread(file, &bytes, bytes.count, 0)
        return bytes.prefix(max(0, length)).count { $0 == UInt8(ascii: "s") }
    }
}
