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
        /// The paths for the variants, one for each, at which there is no file, or an empty one without
        /// a name.
        package var outputs: [String] = []
        /// The memory that the job needs, as far as it can be estimated, in bytes.
        package var memoryBytes = 0
        /// Called with the seconds that a worker took for the job, and for its start if there was no
        /// other one, before the result is returned.
        package var tell: @Sendable (Double) -> Void = { _ in }
    }
}

/// The files of a job, opened for a worker.
///
/// Each output is a file in memory, and the stored file is a copy of it that no worker has access
/// to. Otherwise a compromised worker could change the bytes after they were checked and hashed.
struct OrderFiles: ~Copyable {
    /// A list cannot hold a file that has one owner.
    private final class Output {
        let file: MemoryFile

        init(_ file: consuming MemoryFile) { self.file = file }
    }

    private let source: OpenFile
    private let outputs: [Output]

    /// - Throws: ``FileError`` if the source cannot be read, or a file in memory cannot be created.
    init(_ order: WorkerPool.Order) throws(FileError) {
        let source = try OpenFile(reading: order.source, ofAnyKind: true)
        var outputs: [Output] = []
        for path in order.outputs {
            guard let file = MemoryFile() else { throw FileError("write", path) }
            outputs.append(Output(file))
        }
        self.source = source
        self.outputs = outputs
    }

    /// The facts that the command itself reads from the source.
    var sourceFacts: FileFacts { FileFacts(descriptor: sourceDescriptor) }

    var sourceDescriptor: Int32 { source.descriptor }

    /// The descriptors, in the order in which a worker expects them.
    var descriptors: [Int32] { [source.descriptor] + outputs.map { $0.file.descriptor } }

    /// The number of bytes that the worker has written to an output.
    func byteCount(ofOutput index: Int) -> Int { outputs[index].file.byteCount }

    /// Copies an output to a new file at `path` and discards it.
    func save(output index: Int, to path: String) throws(FileError) {
        let output = outputs[index]
        defer { output.file.drop() }
        output.file.stopGrowth()
        try copy(output.file.descriptor, to: path)
    }
}

private func copy(_ output: Int32, to path: String) throws(FileError) {
    let file = try OpenFile(creating: path, mode: 0o600)
    var offset = 0
    while true {
        let copied = sendfile(file.descriptor, output, &offset, 1 << 30)
        if copied == 0 { return }
        guard copied < 0 && errno != EINTR else { continue }
        let error = FileError("write", path)
        unlink(path)
        throw error
    }
}
