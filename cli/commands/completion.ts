import { Argument, type Command } from 'commander'
import { Usage } from '../core/errors'

const shells = ['bash', 'zsh', 'fish'] as const

const scripts: Record<(typeof shells)[number], string> = {
  bash: `_teasel() {
  local IFS=$'\\n'
  COMPREPLY=($(teasel complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _teasel teasel
`,
  zsh: `#compdef teasel
_teasel() {
  local -a found
  found=("\${(@f)$(teasel complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
# Loaded from the search path, the file is the body of the function.
if [[ "\${funcstack[1]}" == _teasel ]]; then _teasel "$@"; else compdef _teasel teasel; fi
`,
  fish: `function __teasel
  set -l words (commandline -opc) (commandline -ct)
  teasel complete -- $words[2..-1] 2>/dev/null
end
complete -c teasel -a '(__teasel)'
`,
}

const commandOf = (program: Command, words: readonly string[]): Command => {
  const inner = program.commands.find((one) => one.name() === words[0])
  return inner ? commandOf(inner, words.slice(1)) : program
}

/** What may stand at the last of these words: commands, options, or values of the option before. */
const completionsOf = (program: Command, words: readonly string[]): string[] => {
  const last = words.at(-1) ?? ''
  const command = commandOf(program, words.slice(0, -1))
  const before = command.options.find(({ long }) => long === words.at(-2))
  const values = before && (before.required || before.optional) ? (before.argChoices ?? []) : undefined
  const options = last.startsWith('-') ? [...command.options.flatMap(({ long }) => long ?? []), '--help'] : []
  const names = command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  return (values ?? [...names, ...choices, ...options]).filter((one) => one.startsWith(last))
}

export const completion = (program: Command): void => {
  program
    .command('completion')
    .description('print the script that completes commands in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: string) => {
      const found = shells.find((name) => name === shell)
      if (!found) throw new Usage(`There is no script for ${shell}`)
      process.stdout.write(scripts[found])
    })
  // Called by those scripts.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      const found = completionsOf(program, words)
      if (found.length > 0) process.stdout.write(`${found.join('\n')}\n`)
    })
}
