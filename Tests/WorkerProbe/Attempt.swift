import CLinux
import Glibc

/// A system call that code in a compromised decoder might attempt.
struct Attempt {
    let name: String
    /// Whether it succeeds for every user without a sandbox, and does no harm.
    ///
    /// A test runs these without a sandbox to show that the attempts work.
    let succeedsOutside: Bool
    /// Makes the attempt.
    ///
    /// Returns less than 0 and sets `errno` if it is denied.
    let run: () -> Int

    static func all(in scene: Scene) -> [Attempt] {
        onParent(scene) + onFiles(scene) + onStatus(scene) + onProcesses(scene) + onKernel(scene)
            + onMemory(scene) + onDescriptors(scene)
    }
}

/// A system call with its arguments: numbers, addresses, and paths that stay valid as long as this
/// value.
struct Call {
    let number: Int32
    let arguments: [Int]

    init(_ number: Int32, _ arguments: Int...) {
        self.number = number
        self.arguments = arguments + Array(repeating: 0, count: 6 - arguments.count)
    }

    func make() -> Int {
        clinux_call(
            Int(number), arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
            arguments[5])
    }
}

extension Attempt {
    /// An attempt that is denied to some users even without a sandbox, or does harm.
    init(_ name: String, _ call: Call) {
        self.init(name: name, succeedsOutside: false) {
            let result = call.make()
            // If a fork succeeds, the child must not continue with the list.
            if result == 0 && Self.forks.contains(name) { _exit(0) }
            return result
        }
    }

    /// An attempt that succeeds without a sandbox.
    init(works name: String, _ call: Call) {
        self.init(name: name, succeedsOutside: true) { call.make() }
    }

    private static let forks: Set<String> = ["fork", "clone", "clone3"]
}

/// The targets of the attempts: a folder that the user may write, with prepared files.
struct Scene {
    let folder: String
    /// A file of the user in the folder.
    let file: String
    /// The same file, open for reading and writing.
    let descriptor: Int
    let parent = Int(getppid())
    /// Memory for the output of a call: a page of zeros.
    let space: Int

    init(folder: String) {
        self.folder = folder
        file = folder + "/file"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        _ = write(descriptor, "bytes", 5)
        self.descriptor = Int(descriptor)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 4096)
        space = Int(bitPattern: memory)
    }

    /// The address of a text that is never freed.
    func text(_ text: String) -> Int { Int(bitPattern: strdup(text)) }

    /// The address of a path in the folder at which there is no file.
    func new(_ name: String) -> Int { text("\(folder)/\(name)-\(getpid())") }

    /// The address of numbers that are never freed.
    func numbers(_ values: [UInt64]) -> Int {
        let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: values.count)
        memory.initialize(from: values, count: values.count)
        return Int(bitPattern: memory)
    }
}

/// `AT_FDCWD`.
let here = -100
