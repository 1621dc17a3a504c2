import CLinux
import Glibc

extension Attempt {
    /// Opens files with every system call that can.
    static func onFiles(_ scene: Scene) -> [Attempt] {
        let file = scene.text(scene.file)
        let open = Int(O_RDONLY)
        return reading(scene) + writing(scene) + [
            Attempt(
                works: "openat2",
                Call(SYS_openat2, here, file, scene.numbers([0, 0, 0]), 24)),
            Attempt("open_by_handle_at", Call(SYS_open_by_handle_at, here, scene.space, open)),
            Attempt(
                "name_to_handle_at",
                Call(SYS_name_to_handle_at, here, file, scene.space, scene.space, 0)),
            Attempt("open_tree", Call(SYS_open_tree, here, scene.text("/"), 1)),
            Attempt("fsopen", Call(SYS_fsopen, scene.text("tmpfs"), 0)),
            Attempt("fspick", Call(SYS_fspick, here, scene.text("/"), 0)),
            Attempt("move_mount", Call(SYS_move_mount, here, file, here, file, 0)),
            Attempt("mount_setattr", Call(SYS_mount_setattr, here, file, 0, scene.space, 32)),
            Attempt("mount", Call(SYS_mount, 0, scene.text(scene.folder), scene.text("tmpfs"))),
            Attempt("umount2", Call(SYS_umount2, scene.text(scene.folder), 2)),
            Attempt("pivot_root", Call(SYS_pivot_root, file, file)),
            Attempt("chroot", Call(SYS_chroot, scene.text("/"))),
            Attempt(works: "chdir", Call(SYS_chdir, scene.text("/"))),
            Attempt(works: "memfd_create", Call(SYS_memfd_create, scene.text("x"), 0)),
            Attempt(works: "inotify_init1", Call(SYS_inotify_init1, 0)),
            Attempt("fanotify_init", Call(SYS_fanotify_init, 0, 0)),
        ]
    }

    private static func reading(_ scene: Scene) -> [Attempt] {
        let paths = [
            scene.file, scene.folder, "/", "/etc/passwd", "/etc/fonts/fonts.conf", "/proc/version",
            "/proc/self/status", "/proc/self/mem", "/proc/self/environ", "/dev/null", "/usr/bin",
        ]
        return paths.map { path in
            Attempt(works: "read \(path)", Call(SYS_openat, here, scene.text(path), 0))
        }
    }

    private static func writing(_ scene: Scene) -> [Attempt] {
        let create = Int(O_WRONLY | O_CREAT)
        let existing = [scene.file, "/dev/null", "/proc/self/comm", "/proc/self/mem"]
        let created = ["a", "b", "c"].map { "\(scene.folder)/new-\($0)" }
        let others = [
            "/etc/passwd", "/root/.bashrc", "/proc/self/oom_score_adj",
            "/proc/sys/kernel/core_pattern", "/dev/kmsg", "/proc/\(scene.parent)/oom_score_adj",
        ]
        return existing.map { path in
            Attempt(
                works: "write \(path)", Call(SYS_openat, here, scene.text(path), Int(O_WRONLY)))
        }
            + created.map { path in
                Attempt(
                    works: "create \(path)",
                    Call(SYS_openat, here, scene.text(path), create, 0o644))
            }
            + others.map { path in
                Attempt("write \(path)", Call(SYS_openat, here, scene.text(path), Int(O_WRONLY)))
            }
    }

    /// Changes and reads the metadata of files.
    static func onStatus(_ scene: Scene) -> [Attempt] {
        let file = scene.text(scene.file)
        let name = scene.text("user.probe")
        return [
            Attempt(works: "fchmod", Call(SYS_fchmod, scene.descriptor, 0o4755)),
            Attempt(works: "fchmodat", Call(SYS_fchmodat, here, file, 0o755)),
            Attempt("fchmodat2", Call(SYS_fchmodat2, here, file, 0o4755, 0)),
            Attempt(
                works: "fchown", Call(SYS_fchown, scene.descriptor, -1, -1)),
            Attempt(works: "fchownat", Call(SYS_fchownat, here, file, -1, -1, 0)),
            Attempt(works: "truncate", Call(SYS_truncate, file, 0)),
            Attempt(works: "ftruncate", Call(SYS_ftruncate, scene.descriptor, 0)),
            Attempt(works: "utimensat", Call(SYS_utimensat, here, file, 0, 0)),
            Attempt("setxattr", Call(SYS_setxattr, file, name, file, 1, 0)),
            Attempt("fsetxattr", Call(SYS_fsetxattr, scene.descriptor, name, file, 1, 0)),
            Attempt(works: "mkdirat", Call(SYS_mkdirat, here, scene.new("folder"), 0o755)),
            Attempt(
                works: "mknodat",
                Call(SYS_mknodat, here, scene.new("pipe"), 0o10644, 0)),
            Attempt(works: "symlinkat", Call(SYS_symlinkat, file, here, scene.new("symlink"))),
            Attempt(works: "linkat", Call(SYS_linkat, here, file, here, scene.new("link"), 0)),
            Attempt(
                works: "renameat2",
                Call(SYS_renameat2, here, scene.new("link"), here, scene.new("renamed"), 0)),
            Attempt(works: "unlinkat", Call(SYS_unlinkat, here, scene.new("renamed"), 0)),
            Attempt(works: "faccessat", Call(SYS_faccessat, here, file, 0)),
            Attempt(works: "newfstatat", Call(SYS_newfstatat, here, file, scene.space, 0)),
            Attempt(works: "statx", Call(SYS_statx, here, file, 0, 0x7FF, scene.space)),
            Attempt(works: "statfs", Call(SYS_statfs, file, scene.space)),
            Attempt(
                works: "readlinkat",
                Call(SYS_readlinkat, here, scene.text("/proc/self/exe"), scene.space, 4096)),
            Attempt(works: "getcwd", Call(SYS_getcwd, scene.space, 4096)),
        ]
    }
}
