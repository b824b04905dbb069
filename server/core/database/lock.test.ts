import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockDirectory } from './lock'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-lock-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const holder = async () => {
  const program = `import { lockDirectory } from './server/core/database/lock.ts'; await lockDirectory(process.argv[1]); console.log('held'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it('F-22: a second process is refused with the process that uses the directory; after kill -9 it can start at once', async () => {
  const first = await holder()
  await expect(lockDirectory(directory)).rejects.toThrow(
    new RegExp(`in use by process ${first.pid}, running since \\d{4}-\\d\\d-\\d\\dT`),
  )
  const gone = once(first, 'exit')
  first.kill('SIGKILL')
  await gone
  const second = await lockDirectory(directory)
  expect(JSON.parse(await readFile(join(directory, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
  await second.release()
})

it('F-22: another name of the same directory is the same directory', async () => {
  const lock = await lockDirectory(directory)
  await symlink(directory, `${directory}-alias`)
  await expect(lockDirectory(`${directory}-alias`)).rejects.toThrow(`process ${process.pid}`)
  await rm(`${directory}-alias`)
  await lock.release()
  await (await lockDirectory(directory)).release()
})
