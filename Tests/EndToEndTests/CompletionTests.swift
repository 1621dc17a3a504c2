import TestSupport
import Testing

/// The completion scripts in the real shells.
@Suite(.timeLimit(.minutes(10))) struct CompletionTests {
    /// Words before the cursor, and completions that must be among those offered.
    static let cases: [(String, [String], absent: String?)] = [
        ("imgbake bake --f", ["--format", "--frames"], nil),
        ("imgbake bake site/ --max-w", ["--max-width"], nil),
        ("imgbake bake site/ --format ", ["webp", "avif", "jpeg", "keep"], nil),
        ("imgbake check --f", ["--format"], "--frames"),
        ("imgbake ch", ["check"], nil),
        ("imgbake bake si", ["site/"], nil),
        ("imgbake cache l", ["list"], nil),
    ]

    private func folder(_ shell: String) async throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "site/a.md")
        let script = try await Command.run(
            Command.built("imgbake"), ["--generate-completion-script", shell])
        #expect(script.exitCode == 0)
        try folder.write(script.output, to: "completions/_imgbake")
        return folder
    }

    private func expect(
        _ offered: String, _ completions: [String], _ absent: String?, _ line: String
    ) {
        let words = offered.split(separator: "\n").map {
            // fish adds a description after a tab.
            String($0.prefix { $0 != "\t" })
        }
        for completion in completions {
            let plain = completion.hasSuffix("/") ? String(completion.dropLast()) : completion
            #expect(words.contains(completion) || words.contains(plain), "\(line): \(offered)")
        }
        if let absent { #expect(!words.contains(absent), "\(line)") }
    }

    @Test func bashCompletes() async throws {
        let folder = try await folder("bash")
        for (line, completions, absent) in Self.cases {
            let result = try await Command.run(
                "/bin/bash",
                [
                    "--norc", "-c",
                    """
                    source completions/_imgbake
                    COMP_LINE=$1 COMP_POINT=${#1}
                    read -ra COMP_WORDS <<<"$1"
                    [[ $1 != *' ' ]] || COMP_WORDS+=('')
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                    function=$(complete -p imgbake | sed 's/.*-F \\([^ ]*\\).*/\\1/')
                    "$function" imgbake "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """, "bash", line,
                ], directory: folder.path)
            expect(result.output, completions, absent, line + result.errors)
        }
    }

    @Test(.enabled(if: ExternalTool.fish.isExpected, "fish is not installed"))
    func fishCompletes() async throws {
        let folder = try await folder("fish")
        for (line, completions, absent) in Self.cases {
            let result = try await Command.run(
                try ExternalTool.fish.required(),
                [
                    "--no-config", "-c",
                    "source completions/_imgbake; complete -C '\(line)'",
                ],
                environment: ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path],
                directory: folder.path)
            expect(result.output, completions, absent, line + result.errors)
        }
    }

    /// zsh completes only on a terminal.
    ///
    /// There, a list of all matches is taken from `compadd`.
    @Test(.enabled(if: ExternalTool.zsh.isExpected, "zsh is not installed"))
    func zshCompletes() async throws {
        let folder = try await folder("zsh")
        try folder.write(
            """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'PS1=; unset zle_bracketed_paste; fpath=(completions $fpath)'
            zpty -w shell 'autoload -U compinit; compinit -u -D; zstyle ":completion:*" list-prompt ""'
            zpty -w shell 'compadd() { [[ $argv[(I)-[OAD]] -ne 0 ]] || { local -a found; builtin compadd -O found "$@"; print -rl -- MATCH\\ $^found >>matches; }; builtin compadd "$@" }'
            # Until the editor of zsh starts, the terminal itself would erase the line at C-u.
            zpty -w shell 'stty kill undef; bindkey "^I" complete-word; print READ\\Y'
            zpty -r shell text '*READY*'
            zpty -w -n shell "$1"$'\\t'
            zpty -w shell $'\\C-u''print DO\\NE'
            zpty -r shell text '*DONE*'
            zpty -d shell
            sed -n 's/^MATCH //p' matches
            """, to: "complete.zsh")
        for (line, completions, absent) in Self.cases {
            try folder.write("", to: "matches")
            let result = try await Command.run(
                try ExternalTool.zsh.required(), ["-f", "complete.zsh", line],
                environment: ["HOME": folder.path, "TERM": "xterm"], directory: folder.path)
            expect(result.output, completions, absent, line + result.errors)
        }
    }
}
