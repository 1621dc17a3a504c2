// What differs between systems: the C library, and what only some of them have. No other file of
// Files, Locks, URLs and FetchCache names a system.
//
// imgbake and FetchCache are built and tested on Linux. The branches for Darwin are a beginning for
// whoever wants to build FetchCache there, and were never compiled.

#if canImport(Darwin)
    @_exported public import Darwin
#else
    internal import CSync
    @_exported public import Glibc
#endif

#if canImport(Darwin)
    /// The folder in which the open files of a process have their numbers as names.
    let openFilesFolder = "/dev/fd/"
    /// The command of `fcntl` that locks a range for an open file, and not for a process.
    package let openFileLock: Int32 = 90
    /// The flag of a socket that no started program gets; there is none.
    package let closingSocket: Int32 = 0

    extension stat {
        var modification: timespec { st_mtimespec }
        var statusChange: timespec { st_ctimespec }
    }

    /// Lets an empty file share the bytes of another, if the file system can.
    func shareBytes(of source: Int32, with target: Int32) -> Bool { false }

    /// Flushes the file system of an open file to disk.
    func flushFileSystem(of descriptor: Int32) -> Bool {
        sync()
        return true
    }
#else
    /// The folder in which the open files of a process have their numbers as names.
    let openFilesFolder = "/proc/self/fd/"
    /// The command of `fcntl` that locks a range for an open file, and not for a process: `F_OFD_SETLK`,
    /// which Glibc defines only with `_GNU_SOURCE`.
    package let openFileLock: Int32 = 37
    /// The flag of a socket that no started program gets.
    package let closingSocket = Int32(SOCK_CLOEXEC.rawValue)

    extension stat {
        var modification: timespec { st_mtim }
        var statusChange: timespec { st_ctim }
    }

    /// `FICLONE` of `<linux/fs.h>`, a macro that Swift does not import.
    private let ficlone: UInt = 0x4004_9409

    /// Lets an empty file share the bytes of another, if the file system can, as Btrfs and XFS.
    func shareBytes(of source: Int32, with target: Int32) -> Bool {
        ioctl(target, ficlone, source) == 0
    }

    /// Flushes the file system of an open file to disk.
    func flushFileSystem(of descriptor: Int32) -> Bool { csync_file_system(descriptor) == 0 }
#endif

/// The number of processors that are online.
package var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// The value of an environment variable; nil if it is not set.
package func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
