import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../core/config'
import { backUp } from './back-up'
import { requireOwnDirectory } from './database'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-owner-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

// Only root can write into the data directory of another user.
describe.runIf(process.getuid?.() === 0)('root, where another user runs the server', () => {
  it('is refused to open its data directory for a backup, which would change the owner of its files', async () => {
    await chown(home, 12_345, 12_345)
    const config = readConfig({ TEASEL_DATA_DIR: home })
    await expect(backUp(config, `${home}-backup`, () => {})).rejects.toThrow('setpriv --reuid=12345 --regid=12345 --clear-groups')
    expect(await readdir(home)).toEqual([])
  })

  it('may use a data directory of its own, and one that does not exist yet', async () => {
    await requireOwnDirectory(home)
    await requireOwnDirectory(join(home, 'new'))
  })
})
