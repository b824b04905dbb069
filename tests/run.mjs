// `npm test`. Plain JavaScript without packages, because it runs before anything is installed.
import '../server/start/node-version.mjs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, generate } from '../server/start/build.mjs'
import { install } from '../server/start/install.mjs'
import { root, runPackage, say, timed } from '../server/start/run.mjs'

const loud = { loud: true }

const check = async () => {
  await timed('Checking types and style', () => runPackage('oxlint/bin/oxlint', ['--type-aware', '--type-check'], loud))
  await timed('Checking format', () => runPackage('oxfmt/bin/oxfmt', ['--check'], loud))
  await timed('Checking unused code', () => runPackage('knip/bin/knip.js', ['--no-progress'], loud))
}

const prepareBrowser = async () => {
  const { findChromium } = await import('./support/chromium.mjs')
  const chromium = await findChromium()
  say(`Chromium: ${chromium}`)
  return { TEASEL_CHROMIUM: chromium }
}

const everything = async (full) => {
  const env = await prepareBrowser()
  const { findDebianPrograms } = await import('./support/debian-programs.mjs')
  await findDebianPrograms(full)
  await generate()
  // Both to their end: a build must not go on after a failed check has ended this program.
  const results = await Promise.allSettled([build(), check()])
  for (const { reason } of results) if (reason) throw reason
  return { args: [], env }
}

// The charts only: headless, then by gestures in the built console.
const models = async () => {
  const env = await prepareBrowser()
  await generate()
  await build()
  return { args: ['--project', 'models', '--project', 'e2e', 'machines/', 'tests/model/', 'tests/e2e/gestures/'], env }
}

const quickFolders = ['contract/', 'machines/', 'src/', 'tests/model/', 'server/accounts/', 'server/device-api/']
/** Tests of the project's own files that read a backup, a deployment or large files of others. */
const slow = new Set(['deploy.test.ts', 'foreign-files.test.ts', 'upgrade.test.ts'])

// What a change breaks most often: types and style, units, charts without a page, rules of the project, the API over one database.
const quick = async () => {
  await generate()
  await check()
  const rules = (await readdir(join(root, 'tests'))).filter((name) => name.endsWith('.test.ts') && !slow.has(name))
  // Absolute: a part of a path would also match the folder of the checkout.
  const files = [...quickFolders, ...rules.map((name) => `tests/${name}`), 'tests/api/contract.test.ts']
  return { args: ['--project', 'models', '--project', 'node', ...files.map((file) => join(root, file))], env: {} }
}

const prepare = async () => {
  const flag = { type: 'boolean', default: false }
  const { models: only, full, quick: some } = parseArgs({ options: { models: flag, full: flag, quick: flag } }).values
  // Read by tests/support/counts.ts.
  if (full) process.env.TEASEL_FULL = '1'
  await install()
  if (some) return quick()
  return only ? models() : everything(full)
}

const prepared = await prepare().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  // A failed build counts as one failure.
  say('\n0 passed, 1 failed, 0 skipped')
  process.exit(1)
})

// vitest prints the closing line itself, from tests/support/closing-line.ts.
await runPackage('vitest/vitest.mjs', ['run', ...prepared.args], { ...loud, env: prepared.env }).catch(() => process.exit(1))
