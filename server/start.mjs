// `npm start`. Plain JavaScript without packages, because it runs before anything is installed.
import './start/node-version.mjs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, generate } from './start/build.mjs'
import { install } from './start/install.mjs'
import { say } from './start/run.mjs'

const usage = `npm start -- [options]

Installs what is missing, builds what changed, and opens the console, the API host and the sign-in host.

  --backup DIR  copy the whole installation into a new folder, also while it runs
  --restore DIR bring such a copy back into an empty data directory or database
  --copy-files STORAGE  copy the files of releases into another directory or s3://bucket/prefix, and verify them
  --verify-audit FILE  verify an exported audit log (NDJSON); with --audit-key FINGERPRINT also that this key signed it
  --seed-large  fill a running local installation with a project of 50,000 devices (npm run seed:large); with
                --owner ADDRESS for that account instead of the demo's
  --empty       make no demo account, organization or devices
  --build-only  stop after the build
  --dev         serve the console from its sources, and start the server again when it changes (npm run dev)
  --help        show this

TEASEL_WEB_PORT, TEASEL_API_PORT, TEASEL_SIGN_IN_PORT and TEASEL_DATA_DIR change the ports and the directory of the
data; docs/operating.md lists all variables.`

const options = () => {
  const flag = { type: 'boolean', default: false }
  const text = { type: 'string' }
  try {
    return parseArgs({
      options: {
        empty: flag,
        'build-only': flag,
        backup: text,
        restore: text,
        'copy-files': text,
        'verify-audit': text,
        'audit-key': text,
        'seed-large': flag,
        owner: text,
        dev: flag,
        help: flag,
      },
    }).values
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    return process.exit(2)
  }
}

// npm runs a script in a shell that does not forward its signal when it dies. So this process ends when the shell has ended.
const followShell = () => {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  watch.unref()
}

/** The command of dist/server/main.mjs; none starts the hosts. */
const commandOf = ({
  backup,
  restore,
  'copy-files': storage,
  'verify-audit': file,
  'audit-key': key,
  'seed-large': large,
  owner,
}) => {
  if (backup !== undefined) return ['backup', backup]
  if (restore !== undefined) return ['restore', restore]
  if (storage !== undefined) return ['copy-files', storage]
  if (file !== undefined) return ['verify-audit', file, ...(key === undefined ? [] : [key])]
  if (large) return ['seed-large', ...(owner === undefined ? [] : [owner])]
  return []
}

const start = async ({ empty, dev, help, 'build-only': buildOnly, ...given }) => {
  if (help) return say(usage)
  if (process.env.npm_lifecycle_event) followShell()
  if (empty) process.env.TEASEL_EMPTY = '1'
  await install()
  await generate()
  if (dev) return import('./start/dev.mjs').then((it) => it.develop())
  await build()
  if (buildOnly) return undefined
  process.env.NODE_ENV ??= 'production'
  process.setSourceMapsEnabled(true)
  const main = new URL('../dist/server/main.mjs', import.meta.url)
  // The program starts itself again for each host.
  process.argv = [process.execPath, fileURLToPath(main), ...commandOf(given)]
  return import(main.href)
}

await start(options()).catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
