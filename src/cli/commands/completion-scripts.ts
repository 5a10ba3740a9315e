// The completion scripts, one per shell. Each runs `filebrowser __complete` with the words so far;
// the last line of its answer is `:<directive>`, where bit 4 means "offer no file names".
import type { Example } from '../command.ts'

export type ShellName = 'bash' | 'zsh' | 'fish' | 'powershell'

interface ShellScript {
  install: Example
  /** `asks` is the hidden command to run. */
  script(asks: string): string
}

const bash = (asks: string) => `# bash completion for filebrowser
_filebrowser_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" out directive line word
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # bash splits at "=": put --flag = value together again
  local joined=() i
  for ((i = 0; i < \${#words[@]}; i++)); do
    if [[ \${words[i]} == "=" && \${#joined[@]} -gt 0 ]]; then
      joined[\${#joined[@]}-1]+="=\${words[i+1]}"
      i=$((i + 1))
    else
      joined+=("\${words[i]}")
    fi
  done
  out=$("\${COMP_WORDS[0]}" ${asks} "\${joined[@]}" 2>/dev/null) || return
  directive="\${out##*:}"
  # only what follows "=" is replaced
  local flag="" last="\${joined[\${#joined[@]}-1]}"
  if [[ $last == --*=* ]]; then
    flag="\${last%%=*}="
    cur="\${last#*=}"
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* || -z $line ]] && continue
    word="\${line%%$'\\t'*}"
    word="\${word#"$flag"}"
    COMPREPLY+=("$(printf '%q' "$word")")
  done <<<"$out"
  if [[ \${#COMPREPLY[@]} -eq 0 && $((directive & 4)) -eq 0 ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _filebrowser_complete filebrowser
`

const zsh = (asks: string) => `#compdef filebrowser
# zsh completion for filebrowser
_filebrowser() {
  local out directive line word description
  local -a candidates
  out=$("\${words[1]}" ${asks} "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
  directive="\${out##*:}"
  local flag=""
  if [[ \${words[CURRENT]} == --*=* ]]; then
    flag="\${words[CURRENT]%%=*}="
    compset -P 1 '*='
  fi
  while IFS= read -r line; do
    [[ $line == :* || -z $line ]] && continue
    word="\${line%%$'\\t'*}"
    word="\${word#"$flag"}"
    if [[ $line == *$'\\t'* ]]; then description="\${line#*$'\\t'}"; else description=""; fi
    word="\${word//:/\\\\:}"
    candidates+=("\${word}\${description:+:$description}")
  done <<<"$out"
  if (( \${#candidates} > 0 )); then
    _describe 'filebrowser' candidates
  elif (( (directive & 4) == 0 )); then
    _files
  fi
}
if [ "$funcstack[1]" = "_filebrowser" ]; then
  _filebrowser
else
  compdef _filebrowser filebrowser
fi
`

const fish = (asks: string) => `# fish completion for filebrowser
function __filebrowser_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l out ($words[1] ${asks} $words[2..-1] 2>/dev/null)
  set -l directive 0
  set -l found 0
  for line in $out
    if string match -q -r '^:\\d+$' -- $line
      set directive (string sub -s 2 -- $line)
    else if test -n "$line"
      set found 1
      echo $line
    end
  end
  if test $found -eq 0; and test (math "bitand($directive, 4)") -eq 0
    set -l flag (string match -r '^--[^=]*=' -- $words[-1])
    for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1]))
      echo "$flag$path"
    end
  end
end
complete -c filebrowser -f -a '(__filebrowser_complete)'
`

const powershell = (asks: string) => `# PowerShell completion for filebrowser
Register-ArgumentCompleter -Native -CommandName 'filebrowser' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  $program = $words[0]
  $arguments = @($words | Select-Object -Skip 1)
  if ($wordToComplete -eq '') { $arguments += '""' }
  $flag = if ($wordToComplete -match '^--[^=]*=') { $Matches[0] } else { '' }
  $found = $false
  $answer = @(& $program ${asks} @arguments 2>$null)
  foreach ($line in $answer) {
    if ($line -match '^:\\d+$' -or $line -eq '') { continue }
    $found = $true
    $word, $description = $line -split "\`t", 2
    if (-not $description) { $description = $word }
    $shown = if ($word -match '\\s') { "'$word'" } else { $word }
    [System.Management.Automation.CompletionResult]::new($shown, $word, 'ParameterValue', $description)
  }
  # PowerShell offers files by itself, but not behind "--flag="
  if (-not $found -and $flag -ne '' -and $answer[-1] -eq ':0') {
    $start = $wordToComplete.Substring($flag.Length)
    foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($start)) {
      [System.Management.Automation.CompletionResult]::new($flag + $file.CompletionText, $file.ListItemText, 'ParameterValue', $file.ToolTip)
    }
  }
}
`

export const SHELL_SCRIPTS: Record<ShellName, ShellScript> = {
  bash: {
    install: {
      line: 'filebrowser completion bash > ~/.local/share/bash-completion/completions/filebrowser',
      says: 'Install it for yourself',
    },
    script: bash,
  },
  zsh: {
    install: {
      line: 'filebrowser completion zsh > ~/.zsh/completions/_filebrowser',
      says: 'Install it for yourself',
    },
    script: zsh,
  },
  fish: {
    install: {
      line: 'filebrowser completion fish > ~/.config/fish/completions/filebrowser.fish',
      says: 'Install it for yourself',
    },
    script: fish,
  },
  powershell: {
    install: {
      line: 'filebrowser completion powershell | Out-String | Invoke-Expression',
      says: 'Load it, in your profile',
    },
    script: powershell,
  },
}
