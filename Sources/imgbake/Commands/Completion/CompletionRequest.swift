import ArgumentParser
import Sites

/// The request for a completion script: `--generate-completion-script SHELL`.
///
/// The parser's scripts know options only after the name of a subcommand. In these, words without
/// one are completed as those of `bake`, which `imgbake site/` runs.
struct CompletionRequest {
    private let shell: CompletionShell

    /// Nil if the arguments are not such a request, or name no shell that is known.
    init?(_ arguments: some Collection<String>) {
        let option = "--generate-completion-script"
        guard let first = arguments.first, first.hasPrefix(option), arguments.count <= 2 else {
            return nil
        }
        let name =
            first.hasPrefix(option + "=")
            ? String(first.dropFirst(option.count + 1)) : arguments.dropFirst().first
        let shell =
            name == nil ? CompletionShell.autodetected() : name.flatMap(CompletionShell.init)
        guard let shell else { return nil }
        self.shell = shell
    }

    func run() { Console.output.write(Self.script(for: shell)) }

    /// The completion script of a shell.
    static func script(for shell: CompletionShell) -> String {
        let script = ImgBake.completionScript(for: shell)
        let names = (ImgBake.subcommandNames + ["help"])
        return switch shell {
        case .bash: bash(script, names.joined(separator: "|"))
        case .zsh: zsh(script, names.joined(separator: "|"))
        case .fish: fish(script, names.joined(separator: " "))
        default: script
        }
    }

    private static func bash(_ script: String, _ names: String) -> String {
        script.replacing(
            "complete -o filenames -F _imgbake imgbake",
            with: """
                _imgbake_or_bake() {
                    local -a given=("${COMP_WORDS[@]}")
                    local -a COMP_WORDS
                    local -i COMP_CWORD="${COMP_CWORD}"
                    COMP_WORDS=("${given[@]}")
                    if [[ ${COMP_CWORD} -gt 1 || ${given[1]} = -* ]]; then
                        case "${given[1]}" in
                        \(names)) ;;
                        *)
                            COMP_WORDS=("${given[0]}" bake "${given[@]:1}")
                            COMP_CWORD+=1
                            ;;
                        esac
                        _imgbake "${@}"
                    else
                        _imgbake "${@}"
                        local folder
                        while IFS='' read -r folder; do
                            COMPREPLY+=("${folder}")
                        done < <(compgen -d -- "${2}")
                    fi
                }

                complete -o filenames -F _imgbake_or_bake imgbake
                """)
    }

    private static func zsh(_ script: String, _ names: String) -> String {
        let wrapper = """
            _imgbake() {
                local -i ret=1
                if (( CURRENT > 2 )) || [[ "${words[2]}" = -* ]]; then
                    case "${words[2]}" in
                    \(names)) ;;
                    *)
                        words=("${words[1]}" bake "${(@)words[2,-1]}")
                        (( CURRENT++ ))
                        ;;
                    esac
                    _imgbake_command "${@}" && ret=0
                else
                    _imgbake_command "${@}" && ret=0
                    _files -/ && ret=0
                fi
                return "${ret}"
            }


            """
        let end = "if [[ \"${funcstack[1]}\" = _imgbake ]]; then"
        return script.replacing("\n_imgbake() {\n", with: "\n_imgbake_command() {\n")
            .replacing(end, with: wrapper + end)
    }

    private static func fish(_ script: String, _ names: String) -> String {
        let tokens = "    set -l unparsed_tokens (__imgbake_tokens -pc)\n"
        let start = "    switch $unparsed_tokens[1]\n    case 'imgbake'\n"
        let bake = """
                set -l first $unparsed_tokens[2] (commandline -ct)
                if begin
                        test (count $unparsed_tokens) -gt 1
                        or string match -q -- '-*' $first[1]
                    end
                    and not contains -- $first[1] \(names)
                    set unparsed_tokens $unparsed_tokens[1] bake $unparsed_tokens[2..]
                end

            """
        return script.replacing(tokens + start, with: tokens + bake + start)
            + """

            complete -c 'imgbake' \
            -n '__imgbake_should_offer_completions_for_positional "imgbake" -eq 1' \
            -fa '(__imgbake_complete_directories)'

            """
    }
}
