/*
 * Shell completion scripts. Each calls the installed client (`tandem __complete WORDS`), so that completions match its
 * version. Without completions the shell completes file names.
 */

const bash = `# bash completion of tandem. Put this into ~/.bashrc:
#   source <(tandem completion bash)
_tandem() {
  local line="\${COMP_LINE:0:COMP_POINT}" lead candidate
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  # bash begins a new word after : and =, and replaces that one alone.
  lead="\${words[\${#words[@]}-1]}"
  lead="\${lead%"\${lead##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    COMPREPLY+=("\${candidate#"$lead"}")
  done < <("$1" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _tandem tandem
`;

const zsh = `#compdef tandem
# zsh completion of tandem. Put this into ~/.zshrc, after compinit:
#   source <(tandem completion zsh)
_tandem() {
  local candidate about
  local -a described
  while IFS=$'\\t' read -r candidate about; do
    described+=("\${candidate//:/\\\\:}\${about:+:$about}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#described} )); then
    _describe -V tandem described
  else
    _files
  fi
}
compdef _tandem tandem
`;

const fish = `# fish completion of tandem. Save it:
#   tandem completion fish > ~/.config/fish/completions/tandem.fish
function __tandem_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (tandem __complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tandem -f -a '(__tandem_complete)'
`;

/** The completion script of each shell. */
export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
