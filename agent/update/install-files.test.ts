import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { installFiles, type Placement, restoreFiles } from './install-files'

let folder: string, root: string, backup: string, own: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-install-'))
  root = join(folder, 'root')
  own = join(folder, 'own')
  backup = join(own, 'backup')
  for (const path of [root, own, join(own, 'staging')]) mkdirSync(path)
})

const staged = (location: string, text: string, mode = 0o644): Placement => {
  const sha256 = createHash('sha256').update(text).digest('hex')
  const source = join(own, 'staging', sha256)
  writeFileSync(source, text)
  return { source, sha256, location, mode }
}
const old = (location: string, text: string, mode = 0o640) => {
  mkdirSync(join(root, location, '..'), { recursive: true })
  writeFileSync(join(root, location), text)
  chmodSync(join(root, location), mode)
}
const read = (location: string) => readFileSync(join(root, location), 'utf8')
const modeOf = (location: string) => statSync(join(root, location)).mode & 0o777
const where = () => ({ root, backup, own })

describe('installing files', () => {
  it('replaces and adds, with their modes, and leaves no traces', async () => {
    old('/etc/app.conf', 'old')
    await installFiles([staged('/etc/app.conf', 'new', 0o600), staged('/opt/app/bin/run', 'program', 0o755)], where())
    expect([read('/etc/app.conf'), read('/opt/app/bin/run')]).toEqual(['new', 'program'])
    expect([modeOf('/etc/app.conf'), modeOf('/opt/app/bin/run')]).toEqual([0o600, 0o755])
    expect(readdirSync(join(root, 'etc'))).toEqual(['app.conf'])
  })

  it('restores every file, also when asked repeatedly', async () => {
    old('/etc/app.conf', 'old', 0o640)
    await installFiles([staged('/etc/app.conf', 'new'), staged('/opt/run', 'program')], where())
    for (let round = 0; round < 2; round++) {
      await restoreFiles(backup)
      expect([read('/etc/app.conf'), modeOf('/etc/app.conf'), existsSync(join(root, 'opt/run'))]).toEqual(['old', 0o640, false])
    }
  })

  it('continues after an interruption at each file, and can still restore the previous files', async () => {
    const names = ['/a', '/b/c', '/b/d', '/e']
    for (let stopAt = 1; stopAt <= names.length; stopAt++) {
      for (const name of names) old(name, `old ${name}`)
      const files = names.map((name) => staged(name, `new ${name}`))
      const stopped = installFiles(files, where(), (count) => {
        if (count === stopAt) throw new Error('power cut')
      })
      await expect(stopped).rejects.toThrow('power cut')
      expect(names.map(read)).toEqual(names.map((name, at) => (at < stopAt ? `new ${name}` : `old ${name}`)))
      await installFiles(files, where())
      expect(names.map(read)).toEqual(names.map((name) => `new ${name}`))
      await restoreFiles(backup)
      expect(names.map(read)).toEqual(names.map((name) => `old ${name}`))
      rmSync(backup, { recursive: true })
    }
  })

  it('does not link two install locations to the same bytes', async () => {
    await installFiles([staged('/a', 'same'), staged('/b', 'same', 0o600)], where())
    writeFileSync(join(root, 'a'), 'changed')
    expect([read('/b'), modeOf('/a'), modeOf('/b')]).toEqual(['same', 0o644, 0o600])
  })

  it('replaces a link rather than what it points to', async () => {
    writeFileSync(join(folder, 'outside'), 'untouched')
    symlinkSync(join(folder, 'outside'), join(root, 'link'))
    await installFiles([staged('/link', 'new')], where())
    expect([readFileSync(join(folder, 'outside'), 'utf8'), read('/link')]).toEqual(['untouched', 'new'])
  })

  it.each([
    ['a linked folder that leads out', () => symlinkSync(folder, join(root, 'out')), '/out/evil', 'leads out'],
    ["the agent's own folder", () => symlinkSync(own, join(root, 'own')), '/own/state.json', 'leads out'],
    ['a folder', () => mkdirSync(join(root, 'there')), '/there', 'is a directory'],
  ])('refuses %s before anything is written', async (_, prepare, location, message) => {
    prepare()
    old('/first', 'old')
    await expect(installFiles([staged('/first', 'new'), staged(location, 'evil')], where())).rejects.toThrow(message)
    expect(read('/first')).toBe('old')
    expect(existsSync(join(folder, 'evil'))).toBe(false)
  })

  it('creates no folder behind a link that leads outside', async () => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(root, 'out'))
    await expect(installFiles([staged('/out/sub/evil', 'evil')], where())).rejects.toThrow('leads out')
    expect(existsSync(join(outside, 'sub'))).toBe(false)
  })

  it("refuses the agent's own folder when the root is the whole system", async () => {
    const files = [staged(join(own, 'state.json'), 'evil')]
    await expect(installFiles(files, { root: '/', backup, own })).rejects.toThrow("agent's own directory")
  })
})
