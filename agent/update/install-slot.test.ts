import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Placement } from './install-files'
import type { Manifest } from '../../contract/device/manifest'
import { labelSlot, writeTree } from './install-slot'

let folder: string, running: string, slot: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-slot-'))
  running = join(folder, 'slot-a')
  slot = join(folder, 'slot-b')
  mkdirSync(join(running, 'etc'), { recursive: true })
  writeFileSync(join(running, 'etc/app.conf'), 'running')
})
afterEach(() => vi.unstubAllEnvs())

const staged = (location: string, text: string, mode: number | null = 0o644): Placement => {
  const sha256 = createHash('sha256').update(text).digest('hex')
  const source = join(folder, sha256)
  writeFileSync(source, text)
  return { source, sha256, location, mode }
}

describe('writing a tree into a slot', () => {
  it('writes nothing through a link of the running tree that leads out of the slot', async () => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(running, 'out'))
    await expect(writeTree([staged('/out/sub/evil', 'new')], running, slot)).rejects.toThrow('leads outside')
    expect(existsSync(join(outside, 'sub'))).toBe(false)
  })

  it('leaves the running slot as it is where a link of its tree names it absolutely', async () => {
    symlinkSync(join(running, 'etc'), join(running, 'conf'))
    await expect(writeTree([staged('/conf/app.conf', 'new')], running, slot)).rejects.toThrow('leads outside')
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
  })

  it.each([
    ['a link to the folder above', () => symlinkSync('..', join(running, 'up')), '/up/slot-a/etc/app.conf'],
    [
      'a link to a link that leads out',
      () => {
        symlinkSync(folder, join(running, 'far'))
        symlinkSync('far', join(running, 'near'))
      },
      '/near/evil',
    ],
    ['a link below a folder', () => symlinkSync('../../outside', join(running, 'etc/deep')), '/etc/deep/evil'],
    ['a link to what is not there', () => symlinkSync(join(folder, 'nowhere'), join(running, 'gone')), '/gone/evil'],
    ['a link in a circle', () => symlinkSync('round', join(running, 'round')), '/round/evil'],
    [
      'an absolute link to the slot itself',
      () => symlinkSync(join(folder, 'slot-a'), join(running, 'self')),
      '/self/etc/app.conf',
    ],
  ])('refuses an install location behind %s', async (_, make, location) => {
    mkdirSync(join(folder, 'outside'))
    make()
    const before = readdirSync(folder)
    const file = staged(location, 'new')
    await expect(writeTree([file], running, slot)).rejects.toThrow('leads outside')
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
    expect(readdirSync(join(folder, 'outside'))).toEqual([])
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
    expect(new Set(readdirSync(folder))).toEqual(new Set([...before, basename(file.source), 'slot-b']))
  })

  it('replaces a link at the install location, and changes no file that the running tree shares by a hard link', async () => {
    writeFileSync(join(folder, 'outside'), 'untouched')
    linkSync(join(folder, 'outside'), join(running, 'hard'))
    symlinkSync(join(folder, 'outside'), join(running, 'soft'))
    await writeTree([staged('/hard', 'new'), staged('/soft', 'new')], running, slot)
    for (const path of [join(folder, 'outside'), join(running, 'hard')]) expect(readFileSync(path, 'utf8')).toBe('untouched')
    for (const name of ['hard', 'soft']) {
      expect(lstatSync(join(slot, name)).isFile()).toBe(true)
      expect(readFileSync(join(slot, name), 'utf8')).toBe('new')
    }
  })

  it('writes its label into the slot, where the running tree has a link of that name', async () => {
    writeFileSync(join(folder, 'outside'), 'untouched')
    symlinkSync(join(folder, 'outside'), join(running, 'release.json'))
    await writeTree([], running, slot)
    await labelSlot(slot, { id: 'r', name: 'one', version: 2 } as Manifest)
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('untouched')
    expect(JSON.parse(readFileSync(join(slot, 'release.json'), 'utf8'))).toEqual({ id: 'r', name: 'one', version: 2 })
  })

  /** The paths that are synced through a handle while a function runs. */
  const syncedDuring = async (action: () => Promise<unknown>): Promise<string[]> => {
    const handle = await open(folder, 'r')
    const prototype = Object.getPrototypeOf(handle) as FileHandle
    await handle.close()
    const synced: string[] = []
    const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    })
    try {
      await action()
    } finally {
      spy.mockRestore()
    }
    return synced
  }
  const tools = () => {
    const path = join(folder, 'tools')
    mkdirSync(path)
    vi.stubEnv('PATH', path)
    return path
  }

  it('makes every copied file and folder durable where there is no program sync', async () => {
    tools()
    mkdirSync(join(running, 'empty'))
    symlinkSync('app.conf', join(running, 'etc/link'))
    const synced = await syncedDuring(() => writeTree([staged('/opt/app', 'new')], running, slot))
    const whole = ['', 'empty', 'etc', 'etc/app.conf', 'opt', 'opt/app'].map((name) => join(slot, name).replace(/\/$/, ''))
    expect(new Set(synced)).toEqual(new Set(whole))
  })

  it('syncs the file system of the complete tree by the program sync', async () => {
    const program = join(tools(), 'sync')
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${folder}/called\n/bin/ls $2/etc $2/opt >> ${folder}/called\n`, {
      mode: 0o755,
    })
    const synced = await syncedDuring(() => writeTree([staged('/opt/app', 'new')], running, slot))
    const called = readFileSync(join(folder, 'called'), 'utf8')
    expect([called.split('\n')[0], called.includes('app.conf'), called.includes('app\n')]).toEqual([`-f ${slot}`, true, true])
    expect(synced).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)('copies owners and setuid bits, also those of links and folders', async () => {
    writeFileSync(join(running, 'etc/run'), 'x')
    symlinkSync('run', join(running, 'etc/link'))
    for (const name of ['etc', 'etc/run', 'etc/link']) lchownSync(join(running, name), 1234, 5678)
    chmodSync(join(running, 'etc/run'), 0o4755)
    await writeTree([], running, slot)
    for (const name of ['etc', 'etc/run', 'etc/link'])
      expect([lstatSync(join(slot, name)).uid, lstatSync(join(slot, name)).gid]).toEqual([1234, 5678])
    expect(lstatSync(join(slot, 'etc/run')).mode & 0o7777).toBe(0o4755)
    expect(lstatSync(join(slot, 'etc/app.conf')).uid).toBe(0)
  })

  it('removes the files that only the former release has, unless somebody has changed them', async () => {
    const files = [staged('/opt/large', 'weights'), staged('/opt/conf', 'defaults'), staged('/etc/app.conf', 'v2')]
    const first = await writeTree(files, running, slot)
    expect(first.created.map(({ location }) => location)).toEqual(['/opt/large', '/opt/conf'])
    writeFileSync(join(slot, 'opt/conf'), 'by hand')
    const other = join(folder, 'other')
    const back = await writeTree([staged('/etc/app.conf', 'v1')], slot, other, first.created)
    expect([back, readdirSync(join(other, 'opt'))]).toEqual([{ created: [], removed: 1 }, ['conf']])
    expect(readdirSync(join(slot, 'opt')).toSorted()).toEqual(['conf', 'large'])
  })

  it('keeps the mode of the replaced file where the manifest names none', async () => {
    chmodSync(join(running, 'etc/app.conf'), 0o755)
    await writeTree([staged('/etc/app.conf', 'new', null), staged('/etc/fresh', 'fresh', null)], running, slot)
    const modes = ['app.conf', 'fresh'].map((name) => lstatSync(join(slot, 'etc', name)).mode & 0o777)
    expect(modes).toEqual([0o755, 0o644])
  })

  it.skipIf(process.getuid?.() !== 0)('keeps the owner of a file that the release replaces', async () => {
    lchownSync(join(running, 'etc/app.conf'), 1234, 5678)
    await writeTree([staged('/etc/app.conf', 'new')], running, slot)
    expect(lstatSync(join(slot, 'etc/app.conf'))).toMatchObject({ uid: 1234, gid: 5678 })
  })

  it.skipIf(spawnSync('setcap', ['-h']).error !== undefined || process.getuid?.() !== 0)(
    'copies the capabilities of programs, hard links and pipes',
    async () => {
      const ping = (tree: string) => join(tree, 'etc/ping')
      writeFileSync(ping(running), 'x')
      execFileSync('setcap', ['cap_net_raw=ep', ping(running)])
      linkSync(ping(running), join(running, 'etc/ping4'))
      execFileSync('mkfifo', [join(running, 'etc/pipe')])
      await writeTree([staged('/etc/app.conf', 'new')], running, slot)
      expect(execFileSync('getcap', [ping(slot)], { encoding: 'utf8' })).toContain('cap_net_raw=ep')
      expect(lstatSync(ping(slot)).ino).toBe(lstatSync(join(slot, 'etc/ping4')).ino)
      expect(lstatSync(join(slot, 'etc/pipe')).isFIFO()).toBe(true)
    },
  )

  it('copies the tree of a running slot that is named by a link, and nothing is written through it', async () => {
    const named = join(folder, 'named')
    symlinkSync(running, named)
    await writeTree([staged('/etc/app.conf', 'new')], named, slot)
    expect([readFileSync(join(slot, 'etc/app.conf'), 'utf8'), readFileSync(join(running, 'etc/app.conf'), 'utf8')]).toEqual([
      'new',
      'running',
    ])
  })

  it('creates the slot again where its path is a link to the running one', async () => {
    symlinkSync(running, slot)
    await writeTree([staged('/etc/app.conf', 'new')], running, slot)
    expect(lstatSync(slot).isSymbolicLink()).toBe(false)
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
  })

  it('follows a link that stays inside, as the system that boots from the slot will', async () => {
    symlinkSync('etc', join(running, 'conf'))
    await writeTree([staged('/conf/app.conf', 'new')], running, slot)
    expect(readFileSync(join(slot, 'etc/app.conf'), 'utf8')).toBe('new')
    expect(readFileSync(join(running, 'etc/app.conf'), 'utf8')).toBe('running')
  })
})
