import Glibc
import Recipes

/// A variant's file, which is either not there or complete.
enum OutputFile {
    /// Writes `bytes` to a neighbour of `path` and renames it.
    static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(Answer.Failure) {
        let partial = path + ".partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        do throws(Answer.Failure) {
            defer { close(descriptor) }
            try writeAll(bytes, to: descriptor, path)
        } catch {
            unlink(partial)
            throw error
        }
        guard rename(partial, path) == 0 else {
            let failure = failure(path)
            unlink(partial)
            throw failure
        }
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String
    ) throws(Answer.Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ path: String) -> Answer.Failure {
        let reason = String(cString: strerror(errno))
        return Answer.Failure(.output, "\(path) could not be written (\(reason))")
    }
}
