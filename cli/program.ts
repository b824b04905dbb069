import { Command } from 'commander'
import { completion } from './commands/completion'
import { keyCommands } from './commands/keys'
import { whoami } from './commands/whoami'
import { client } from './core/version'
import { deviceCommands } from './device/commands'
import { logs } from './device/logs'
import { why } from './device/why'
import { jobCommands } from './jobs/commands'
import { releaseCommands } from './release/commands'
import { rolloutCommands } from './rollout/commands'

const help = `
Environment: TEASEL_URL (--server), TEASEL_PROJECT (--project), TEASEL_TOKEN (an access token; never an argument), NO_COLOR.
Exit codes: 0 done, 1 refused or failed, 2 usage, 3 rollout halted, 4 timed out, 5 approval wanted.
`

export const createProgram = (): Command => {
  const program = new Command(client.name)
    .description('releases, rollouts and devices of a Teasel project, for pipelines and terminals')
    // Options of a command are its own, also where the program has one of the same name: --version of a release.
    .enablePositionalOptions()
    .version(`${client.name} ${client.version}`, '--version')
    .addHelpText('after', help)
    .showHelpAfterError('Try --help')
  for (const add of [whoami, releaseCommands, rolloutCommands, deviceCommands, jobCommands, logs, why, keyCommands, completion])
    add(program)
  return program
}
