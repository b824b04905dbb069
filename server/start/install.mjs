import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run, timed } from './run.mjs'

const lockfile = join(root, 'package-lock.json')
const note = join(root, 'node_modules/.teasel-lock')

const packagesOf = (path) =>
  readFile(path, 'utf8').then(
    (text) => JSON.parse(text).packages,
    () => undefined,
  )

// npm records what it installed: after a manual install it is not repeated.
const isInstalled = async () => {
  const installed = await packagesOf(join(root, 'node_modules/.package-lock.json'))
  if (!installed) return false
  const wanted = Object.entries(await packagesOf(lockfile)).filter(([path, entry]) => path !== '' && !entry.optional)
  return wanted.every(([path, entry]) => installed[path]?.integrity === entry.integrity)
}

const npm = (args) => {
  const program = process.env.npm_execpath
  const options = { loud: true, env: { NODE_ENV: 'development' } }
  return program?.endsWith('.js') ? run(process.execPath, [program, ...args], options) : run('npm', args, options)
}

// T-25: no package runs a program of its own at installation; what PostgreSQL's would do, server/core/database/postgres-programs.ts does.
/** Installs the packages if the lockfile has changed. */
export const install = async () => {
  const wanted = createHash('sha256')
    .update(await readFile(lockfile))
    .digest('hex')
  if ((await readFile(note, 'utf8').catch(() => '')) === wanted) return
  if (!(await isInstalled()))
    await timed('Installing packages', () =>
      npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']),
    )
  await writeFile(note, wanted)
}
