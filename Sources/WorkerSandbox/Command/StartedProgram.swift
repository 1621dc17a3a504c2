internal import CLinux
import Files
import Glibc

/// A program that was started in the same way as a worker, and this process's end of its socket.
package struct StartedProgram: ~Copyable {
    /// The reason why it could not be started: the value of `errno`.
    package struct StartError: Error {
        package var code: Int32
    }

    package let processID: Int32
    /// The caller closes it.
    package let socket: Int32
    /// The file for its standard output and error.
    ///
    /// A library that prints much cannot block on it, and a compromised library cannot fill a disk.
    private let errors: MemoryFile

    /// Starts `executable`.
    ///
    /// It gets no descriptors except its end of the socket, as its standard input, and a file for
    /// errors. It inherits no environment variables except those for finding libraries and fonts.
    ///
    /// - Parameters:
    ///   - executable: The path of the executable.
    ///   - arguments: Its arguments.
    ///   - environment: Further environment variables, each as `NAME=VALUE`.
    /// - Throws: ``StartError``.
    package init(
        _ executable: String, _ arguments: [String], environment: [String] = []
    ) throws(StartError) {
        guard let (ours, theirs) = DescriptorSocket.pair() else { throw StartError(code: errno) }
        defer { close(theirs) }
        guard let errors = MemoryFile(byteCount: 64 << 10) else {
            let code = errno
            close(ours)
            throw StartError(code: code)
        }
        let spawned = spawn([executable] + arguments, environment, theirs, errors.descriptor)
        guard spawned.code == 0 else {
            close(ours)
            throw StartError(code: spawned.code)
        }
        processID = spawned.processID
        socket = ours
        self.errors = errors
    }

    /// A colon and the first line of its standard error; empty if there is none.
    package var firstErrorLine: String {
        var bytes = [UInt8](repeating: 0, count: 400)
        let count = pread(errors.descriptor, &bytes, bytes.count, 0)
        let text = String(
            decoding: bytes.prefix(max(count, 0)).prefix { $0 != 0 }, as: UTF8.self)
        return text.split(separator: "\n").first.map { ": \($0)" } ?? ""
    }
}

/// The environment variables that a worker needs to find its libraries and fonts, if they are set.
///
/// It inherits no others, and removes these before its first image.
private let keptVariables = ["LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE"]

/// Starts a program in a new process group.
///
/// A Ctrl-C in the terminal then reaches only the command, which ends its workers.
private func spawn(
    _ words: [String], _ variables: [String], _ socket: Int32, _ errors: Int32
) -> (processID: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, socket, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Descriptors that this process has inherited may lack the close-on-exec flag.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    var allSignals = sigset_t()
    sigfillset(&allSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setsigdefault(&attributes, &allSignals)
    posix_spawnattr_setflags(
        &attributes,
        Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = keptVariables.compactMap { name in
        environmentVariable(name).flatMap { strdup("\(name)=\($0)") }
    }
    environment += variables.map { strdup($0) } + [nil]
    defer {
        for string in arguments + environment { free(string) }
    }
    var processID: pid_t = -1
    let code = posix_spawn(
        &processID, words[0], &actions, &attributes, &arguments, &environment)
    return (processID, code)
}
