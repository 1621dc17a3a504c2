import Glibc
import Recipes

/// The file that a variant is written to, which the command has opened.
struct OutputFile {
    let descriptor: Int32

    func write(_ bytes: UnsafeRawBufferPointer) throws(Answer.Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let reason = String(cString: strerror(errno))
                throw Answer.Failure(.output, "the result could not be written (\(reason))")
            }
            rest = rest.dropFirst(count)
        }
    }
}
