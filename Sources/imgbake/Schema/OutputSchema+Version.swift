import Recipes

extension OutputSchema {
    static let version = OutputSchema(
        "version", "imgbake --version --json", "One object.",
        [
            Member("imgbake", .text, "The version of imgbake."),
            Member(
                "libraries",
                .records([
                    Member("name", .text, "The name of the library."),
                    .optional("version", .text, "The version that it tells."),
                    .optional(
                        "file", .text,
                        "The name of its file, if it tells no version and is linked dynamically."
                    ),
                ]), "The libraries of the command and of its worker."),
            .optional(
                "formats",
                .record([
                    Member("reads", .list(of: .text), "The formats that are read."),
                    Member("writes", .list(of: .text), "The formats that are written."),
                ]), "The formats that the libraries have; missing if the worker does not start."),
            .optional(
                "sandbox",
                .record([
                    Member(
                        "protections", .list(of: protection), "The protections in force."),
                    .optional(
                        "landlockVersion", .position,
                        "The version of Landlock that is used; missing without Landlock."),
                    Member(
                        "missing",
                        .records([
                            Member("protection", protection, "The protection."),
                            Member("reason", .text, "Why it is not in force."),
                        ]), "The protections that are not in force."),
                ]), "The sandbox of a worker; missing if the worker does not start."),
            .optional("error", .text, "Why the worker does not start."),
        ])

    private static let protection = JSONValue.words(
        SandboxReport.Protection.allCases.map(\.rawValue))
}
