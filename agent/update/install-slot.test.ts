import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Placement } from './install-files'
import { writeTree } from './install-slot'

let folder: string, running: string, slot: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-slot-'))
  running = join(folder, 'slot-a')
  slot = join(folder, 'slot-b')
  mkdirSync(join(running, 'etc'), { recursive: true })
  writeFileSync(join(running, 'etc/app.conf'), 'running')
})

const staged = (location: string, text: string): Placement => {
  const sha256 = createHash('sha256').update(text).digest('hex')
  const source = join(folder, sha256)
  writeFileSync(source, text)
  return { source, sha256, location, mode: 0o644 }
}

describe('writing a tree into a slot', () => {
  it('writes nothing through a link of the running tree that leads out of the slot', async () => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(running, 'out'))
    await expect(writeTree([staged('/out/sub/evil', 'new')], running, slot)).rejects.toThrow('leads out of')
    expect(existsSync(join(outside, 'sub'))).toBe(false)
  })

  it('leaves the running slot as it is where a link of its tree names it absolutely', async () => {
    symlinkSync(join(running, 'etc'), join(running, 'conf'))
    await expect(writeTree([staged('/conf/app.conf', 'new')], running, slot)).rejects.toThrow('leads out of')
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
  })

  it('follows a link that stays inside, as the system that boots from the slot will', async () => {
    symlinkSync('etc', join(running, 'conf'))
    await writeTree([staged('/conf/app.conf', 'new')], running, slot)
    expect(readFileSync(join(slot, 'etc/app.conf'), 'utf8')).toBe('new')
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
  })
})
