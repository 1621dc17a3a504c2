import Files
import Glibc
package import Recipes
import WorkerSandbox

extension WorkerPool {
    /// A job and its files.
    package struct Order: Sendable {
        package var job: Job
        /// The path of the source.
        package var source: String
        /// The path for a variant, at which no file may exist; nil if the job makes no variant.
        package var output: String?
        /// The header of the source, which was checked; nil if the job reads it.
        package var header: ImageHeader?
        /// The memory that the job needs, as far as it can be estimated, in bytes.
        package var memoryBytes: Int

        package init(
            _ job: Job, source: String, output: String? = nil, header: ImageHeader? = nil,
            memoryBytes: Int = 0
        ) {
            self.job = job
            self.source = source
            self.output = output
            self.header = header
            self.memoryBytes = memoryBytes
        }
    }
}

/// The files of a job, opened for a worker.
///
/// The output is a file in memory, and the stored file is a copy of it that no worker has access
/// to. Otherwise a compromised worker could change the bytes after they were checked and hashed.
struct OrderFiles: ~Copyable {
    private let source: OpenFile
    private let output: MemoryFile?

    /// - Throws: ``FileFault`` if the source cannot be read, or the file in memory cannot be
    ///   created.
    init(_ order: WorkerPool.Order) throws(FileFault) {
        let source = try OpenFile(reading: order.source, ofAnyKind: true)
        let output = order.output == nil ? nil : MemoryFile()
        if let path = order.output, output == nil { throw FileFault("write", path) }
        self.source = source
        self.output = output
    }

    /// The facts that the command itself reads from the source.
    var sourceFacts: FileFacts { FileFacts(descriptor: source.descriptor) }

    /// The descriptors, in the order in which a worker expects them.
    var descriptors: [Int32] {
        switch output {
        case .none: [source.descriptor]
        case .some(let output): [source.descriptor, output.descriptor]
        }
    }

    /// The number of bytes that the worker has written.
    var outputByteCount: Int {
        switch output {
        case .none: 0
        case .some(let output): output.byteCount
        }
    }

    /// Copies the output to a new file at `path` and discards it.
    func save(to path: String) throws(FileFault) {
        switch output {
        case .none: break
        case .some(let output):
            defer { output.drop() }
            output.stopGrowth()
            try copy(output.descriptor, to: path)
        }
    }
}

private func copy(_ output: Int32, to path: String) throws(FileFault) {
    let file = try OpenFile(creating: path, mode: 0o600)
    var offset = 0
    while true {
        let copied = sendfile(file.descriptor, output, &offset, 1 << 30)
        if copied == 0 { return }
        guard copied < 0 && errno != EINTR else { continue }
        let fault = FileFault("write", path)
        unlink(path)
        throw fault
    }
}
