import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mountSmallDisk } from '../../tests/support/small-disk'
import { readConfig } from './config'
import { createLog, openLogStream } from './log'
import { openLogFile } from './log-file'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'teasel-log-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lost = (count: number, reason: string) => `lost ${count}: ${reason}\n`
const lineOf = (n: number) => `${String(n).padStart(99, '0')}\n`

it('rotates while it is written: neither file exceeds the limit, and the newest lines are kept', () => {
  const path = join(folder, 'teasel.log')
  const log = openLogFile(path, { rotateAt: 1000, lost })
  for (let n = 0; n < 37; n++) log.write(lineOf(n))
  log.close()
  expect(readdirSync(folder).toSorted()).toEqual(['teasel.log', 'teasel.log.1'])
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1000)
  const lines = readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')
  expect(lines.trim().split('\n').map(Number)).toEqual(Array.from({ length: 17 }, (_, n) => n + 20))
})

it('goes on in the file of the run before and keeps its lines', () => {
  const path = join(folder, 'teasel.log')
  writeFileSync(path, 'before\n')
  const log = openLogFile(path, { rotateAt: 1000, lost })
  log.write('after\n')
  log.close()
  expect(readFileSync(path, 'utf8')).toBe('before\nafter\n')
})

describe.skipIf(!mountSmallDisk.works)('F-19: on a disk that is full', () => {
  const full = (use: (directory: string) => void) => {
    const disk = mountSmallDisk(64)
    try {
      use(disk.path)
    } finally {
      disk.unmount()
    }
  }

  it('drops and counts lines, and continues with complete lines when space is free again', () =>
    full((directory) => {
      const path = join(directory, 'teasel.log')
      const log = openLogFile(path, { rotateAt: 1e9, lost })
      log.write('first\n')
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(40_000))
      for (let n = 0; n < 2000; n++) log.write(lineOf(n))
      rmSync(join(directory, 'ballast'))
      log.write('last\n')
      log.close()
      const lines = readFileSync(path, 'utf8').trim().split('\n')
      const kept = lines.filter((line) => /^\d{99}$/.test(line)).length
      expect(lines[0]).toBe('first')
      expect(lines.slice(-2)).toEqual([`lost ${2000 - kept}: ENOSPC`, 'last'])
      expect(kept).toBeGreaterThan(0)
      expect(kept).toBeLessThan(2000)
    }))

  it('the log of the server throws nothing and emits nothing that could end the process', () =>
    full((directory) => {
      const config = readConfig({ TEASEL_DATA_DIR: directory })
      const log = createLog(config.logLevel, openLogStream(config))
      for (let n = 0; n < 2000; n++) log.info({ n }, 'a line of some length '.repeat(5))
      rmSync(join(directory, 'teasel.log'))
    }))
})
