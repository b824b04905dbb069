import { runVerifyCommand } from './accounts/audit/verify-command'
import { runBackupCommand } from './backup/command'
import { runCopyFilesCommand } from './backup/copy-files'
import { serve } from './processes/serve'
import { supervise } from './processes/supervise'

const [command, name, key] = process.argv.slice(2)

const run = async () => {
  if (command === 'verify-audit') {
    process.exitCode = await runVerifyCommand(name, key)
    return undefined
  }
  if (command === 'copy-files') {
    process.exitCode = await runCopyFilesCommand(name)
    return undefined
  }
  if (command === 'backup' || command === 'restore') {
    process.exitCode = await runBackupCommand(command, name)
    return undefined
  }
  if (command === 'seed-large') {
    const { runSeedLarge } = await import('./seed/run-large')
    return runSeedLarge(name)
  }
  // `supervise` opens the database and starts this program again for each host, with `host NAME`.
  return command === 'host' ? serve(name) : supervise()
}

await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
