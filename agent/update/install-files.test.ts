import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mountSmallDisk } from '../../tests/support/small-disk'
import { installFiles, type Placement, restoreFiles } from './install-files'

let folder: string, root: string, backup: string, own: string
let disk: ReturnType<typeof mountSmallDisk>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-install-'))
  root = join(folder, 'root')
  own = join(folder, 'own')
  backup = join(own, 'backup')
  for (const path of [root, own, join(own, 'staging')]) mkdirSync(path)
  if (mountSmallDisk.works) disk = mountSmallDisk(256)
})
afterEach(() => void (mountSmallDisk.works && disk.unmount()))

const staged = (location: string, text: string, mode: number | null = 0o644): Placement => {
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

  it('keeps the mode of the replaced file where the manifest names none', async () => {
    old('/opt/app/run', 'old', 0o755)
    const files = [staged('/opt/app/run', 'new', null), staged('/opt/app/fresh', 'fresh', null)]
    for (let round = 0; round < 2; round++) {
      await installFiles(files, where())
      expect([read('/opt/app/run'), modeOf('/opt/app/run'), modeOf('/opt/app/fresh')]).toEqual(['new', 0o755, 0o644])
    }
  })

  describe('with a list of what the former release has created', () => {
    const former = (...files: Placement[]) => files.map(({ location, sha256 }) => ({ location, sha256 }))
    const entries = () => readdirSync(join(root, 'opt')).toSorted()

    it('removes those that it does not have, and a restoration brings them back', async () => {
      old('/opt/kept', 'v1')
      const first = await installFiles([staged('/opt/app', 'v1'), staged('/opt/data', 'data', 0o600)], where())
      expect(first).toEqual({ created: former(staged('/opt/app', 'v1'), staged('/opt/data', 'data')), removed: 0 })
      rmSync(backup, { recursive: true })
      const second = await installFiles([staged('/opt/app', 'v2')], { ...where(), former: first.created })
      expect(second).toEqual({ created: former(staged('/opt/app', 'v2')), removed: 1 })
      expect(entries()).toEqual(['app', 'kept'])
      for (let round = 0; round < 2; round++) {
        await restoreFiles(backup)
        expect([entries(), read('/opt/app'), read('/opt/data'), modeOf('/opt/data')]).toEqual([
          ['app', 'data', 'kept'],
          'v1',
          'data',
          0o600,
        ])
      }
    })

    it('keeps what somebody has changed, what was there before, a link in its place, and what is outside of the root', async () => {
      old('/opt/before', 'of the system')
      const files = [staged('/opt/before', 'v1'), staged('/opt/changed', 'v1'), staged('/opt/link', 'v1')]
      const { created } = await installFiles(files, where())
      expect(created.map(({ location }) => location)).toEqual(['/opt/changed', '/opt/link'])
      rmSync(backup, { recursive: true })
      writeFileSync(join(root, 'opt/changed'), 'by hand')
      rmSync(join(root, 'opt/link'))
      symlinkSync('/etc/hostname', join(root, 'opt/link'))
      const outside = former(staged('/../out', 'v1'), staged('/away/file', 'v1'))
      writeFileSync(join(folder, 'out'), 'v1')
      mkdirSync(join(folder, 'away'))
      writeFileSync(join(folder, 'away/file'), 'v1')
      symlinkSync(join(folder, 'away'), join(root, 'away'))
      const { removed } = await installFiles([], { ...where(), former: [...created, ...outside] })
      expect([removed, entries()]).toEqual([0, ['before', 'changed', 'link']])
      expect([existsSync(join(folder, 'out')), existsSync(join(folder, 'away/file'))]).toEqual([true, true])
    })

    it('does not remove a file that it did not save, and continues after an interruption', async () => {
      const { created } = await installFiles([staged('/opt/a', 'a'), staged('/opt/b', 'b')], where())
      rmSync(backup, { recursive: true })
      writeFileSync(join(root, 'opt/b'), 'by hand')
      const next = [staged('/opt/c', 'c')]
      await expect(
        installFiles(next, { ...where(), former: created }, () => {
          throw new Error('stopped')
        }),
      ).rejects.toThrow('stopped')
      writeFileSync(join(root, 'opt/b'), 'b')
      expect((await installFiles(next, { ...where(), former: created })).removed).toBe(1)
      expect(entries()).toEqual(['b', 'c'])
      await restoreFiles(backup)
      expect(entries()).toEqual(['a', 'b'])
    })
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

  it.each(['../files/app.conf', 'missing'])('restores a link to %s, also when asked repeatedly', async (to) => {
    old('/files/app.conf', 'old')
    mkdirSync(join(root, 'etc'))
    symlinkSync(to, join(root, 'etc/app.conf'))
    await installFiles([staged('/etc/app.conf', 'new')], where())
    expect(lstatSync(join(root, 'etc/app.conf')).isFile()).toBe(true)
    for (let round = 0; round < 2; round++) {
      await restoreFiles(backup)
      expect(readlinkSync(join(root, 'etc/app.conf'))).toBe(to)
    }
    expect([read('/files/app.conf'), readdirSync(join(root, 'etc'))]).toEqual(['old', ['app.conf']])
  })

  it('restores setuid, setgid and sticky bits', async () => {
    old('/bin/run', 'old', 0o6755)
    old('/bin/kept', 'old', 0o1700)
    await installFiles([staged('/bin/run', 'new', 0o755), staged('/bin/kept', 'newer')], where())
    await restoreFiles(backup)
    expect(['bin/run', 'bin/kept'].map((name) => statSync(join(root, name)).mode & 0o7777)).toEqual([0o6755, 0o1700])
  })

  it.skipIf(process.getuid?.() !== 0)('restores the owner of a file, with its setuid bit', async () => {
    old('/bin/run', 'old')
    chownSync(join(root, 'bin/run'), 1234, 5678)
    chmodSync(join(root, 'bin/run'), 0o4755)
    await installFiles([staged('/bin/run', 'new', 0o755)], where())
    for (let round = 0; round < 2; round++) {
      await restoreFiles(backup)
      const { uid, gid, mode } = statSync(join(root, 'bin/run'))
      expect([read('/bin/run'), uid, gid, mode & 0o7777]).toEqual(['old', 1234, 5678, 0o4755])
    }
  })

  it.skipIf(process.getuid?.() !== 0)(
    'keeps the owner of a file that it replaces, without the bits that run as the owner',
    async () => {
      old('/etc/app.conf', 'old')
      chownSync(join(root, 'etc/app.conf'), 1234, 5678)
      chmodSync(join(root, 'etc/app.conf'), 0o4755)
      await installFiles([staged('/etc/app.conf', 'new', 0o640), staged('/etc/added', 'added')], where())
      const { uid, gid, mode } = statSync(join(root, 'etc/app.conf'))
      expect([read('/etc/app.conf'), uid, gid, mode & 0o7777]).toEqual(['new', 1234, 5678, 0o640])
      expect(statSync(join(root, 'etc/added')).uid).toBe(0)
    },
  )

  const capabilities = (path: string) => execFileSync('getcap', [path], { encoding: 'utf8' }).trim().replace(`${path} `, '')
  const hasCapabilities = mountSmallDisk.works && spawnSync('setcap', ['-h']).error === undefined

  it.skipIf(!hasCapabilities).each([
    ['on the same disk', () => backup],
    ['on another disk', () => join(disk.path, 'backup')],
  ])('restores the capabilities of a program from a backup %s, also when asked repeatedly', async (_, place) => {
    old('/bin/ping', 'old')
    execFileSync('setcap', ['cap_net_raw=ep', join(root, 'bin/ping')])
    await installFiles([staged('/bin/ping', 'new')], { ...where(), backup: place() })
    expect(capabilities(join(root, 'bin/ping'))).toBe('')
    for (let round = 0; round < 2; round++) {
      await restoreFiles(place())
      expect([read('/bin/ping'), capabilities(join(root, 'bin/ping'))]).toEqual(['old', 'cap_net_raw=ep'])
    }
  })

  it('restores from the journal of an older agent, which has no owners and no links', async () => {
    old('/app', 'old', 0o640)
    await installFiles([staged('/app', 'new'), staged('/more', 'added')], where())
    const files = [
      { target: join(root, 'app'), existed: true, mode: 0o640 },
      { target: join(root, 'more'), existed: false, mode: 0o644 },
    ]
    writeFileSync(join(backup, 'journal.json'), JSON.stringify({ files }))
    await restoreFiles(backup)
    expect([read('/app'), modeOf('/app'), existsSync(join(root, 'more'))]).toEqual(['old', 0o640, false])
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
    ['a pipe', () => execFileSync('mkfifo', [join(root, 'pipe')]), '/pipe', 'is neither a file nor a link'],
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
