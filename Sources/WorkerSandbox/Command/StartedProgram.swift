internal import CLinux
import Glibc

/// A program that was started as a worker is, and our end of its socket.
package struct StartedProgram: ~Copyable {
    /// Why it could not be started: the value of `errno`.
    package struct Fault: Error {
        package var code: Int32
    }

    package let processID: Int32
    /// The caller closes it.
    package let socket: Int32
    /// Where its standard output and error go, so that a talkative library cannot block it and one
    /// that is hijacked cannot fill a disk.
    private let errors: MemoryFile

    /// Starts `executable`, which gets no descriptor but its end of the socket, as its standard input,
    /// and a file for errors; and no environment but what finds libraries and fonts.
    package init(_ executable: String, _ arguments: [String]) throws(Fault) {
        guard let (ours, theirs) = DescriptorSocket.pair() else { throw Fault(code: errno) }
        defer { close(theirs) }
        guard let errors = MemoryFile(byteCount: 64 << 10) else {
            let code = errno
            close(ours)
            throw Fault(code: code)
        }
        let spawned = spawn([executable] + arguments, theirs, errors.descriptor)
        guard spawned.code == 0 else {
            close(ours)
            throw Fault(code: spawned.code)
        }
        processID = spawned.processID
        socket = ours
        self.errors = errors
    }

    /// The first line of what it wrote to its standard error, after a colon; empty if there is none.
    package var firstErrorLine: String {
        var bytes = [UInt8](repeating: 0, count: 400)
        let count = pread(errors.descriptor, &bytes, bytes.count, 0)
        let text = String(
            decoding: bytes.prefix(max(count, 0)).prefix { $0 != 0 }, as: UTF8.self)
        return text.split(separator: "\n").first.map { ": \($0)" } ?? ""
    }
}

/// The environment variables that a worker needs to find its libraries and fonts, where they are set.
///
/// It gets no other, and forgets these before it sees an image.
private let keptVariables = ["LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE"]

/// Starts a program in a process group of its own, so that a Ctrl-C in the terminal reaches the
/// command alone, which then ends its workers.
private func spawn(
    _ words: [String], _ socket: Int32, _ errors: Int32
) -> (processID: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, socket, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // What this process inherited itself may not be marked to be closed.
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
        getenv(name).flatMap { strdup("\(name)=\(String(cString: $0))") }
    }
    environment.append(nil)
    defer {
        for string in arguments + environment { free(string) }
    }
    var processID: pid_t = -1
    let code = posix_spawn(
        &processID, words[0], &actions, &attributes, &arguments, &environment)
    return (processID, code)
}
