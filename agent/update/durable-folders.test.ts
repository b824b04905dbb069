import { createHash } from 'node:crypto'
import fs, { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeDirectory } from '../core/files'
import { installFiles } from './install-files'

const synced: string[] = []
beforeEach(() => {
  const real = fs.fsyncSync
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    synced.push(fs.readlinkSync(`/proc/self/fd/${handle}`))
    real(handle)
  })
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  synced.splice(0)
})

const newFolder = () => mkdtempSync(join(tmpdir(), 'teasel-durable-'))

it('the name of a new folder is durable, and so are those of the folders that it needs', () => {
  const folder = newFolder()
  makeDirectory(join(folder, 'a/b/c'))
  expect(synced).toEqual(['a/b', 'a', ''].map((name) => join(folder, name).replace(/\/$/, '')))
  makeDirectory(join(folder, 'a/b/c'))
  expect(synced).toHaveLength(3)
})

it('the names of the backup and of the folders of new files are durable, the backup before any file is replaced', async () => {
  const folder = newFolder()
  const [root, own] = [join(folder, 'root'), join(folder, 'state')]
  for (const path of [root, own]) mkdirSync(path)
  const source = join(own, 'new')
  writeFileSync(source, 'new')
  const sha256 = createHash('sha256').update('new').digest('hex')
  let before: string[] = []
  await installFiles(
    [{ source, sha256, location: '/opt/app/run', mode: 0o644 }],
    { root, backup: join(own, 'backup'), own },
    () => (before = [...synced]),
  )
  for (const path of [own, root, join(root, 'opt'), join(root, 'opt/app')]) expect(before).toContain(path)
  expect(before.indexOf(own)).toBeLessThan(before.indexOf(join(root, 'opt/app')))
})
