import Files
import Glibc
import SystemPackage

/// A process that writes a file, for tests that limit the size of files or fill the disk.
///
/// ```text
/// files-probe write PATH COUNT    writes COUNT bytes at once
/// files-probe copy PATH SOURCE    writes the bytes of another file
/// ```
///
/// It prints `written`, or the operation, the path and the error number of the failure.
@main
enum FilesProbe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { exit(2) }
        do throws(FileError) {
            let file = try AtomicFile(arguments[2])
            if arguments[1] == "copy" {
                try file.write(contentsOf: arguments[3])
            } else {
                try file.write([UInt8](repeating: 0x61, count: Int(arguments[3]) ?? 0))
            }
            try file.commit()
            print("written")
        } catch {
            guard case .system(let code) = error.cause else { return print(error) }
            print(error.operation, error.path, code.rawValue)
        }
    }
}
