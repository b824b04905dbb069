import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mountSmallDisk } from '../../tests/support/small-disk'
import { writeAtomically } from './files'

it.skipIf(!mountSmallDisk.works)('a write that a full disk fails leaves no open file and takes no space', () => {
  const disk = mountSmallDisk(64)
  const free = () => statfsSync(disk.path).bfree
  const openFiles = () => readdirSync('/proc/self/fd').length
  try {
    writeAtomically(join(disk.path, 'state.json'), 'before')
    const [before, opened] = [free(), openFiles()]
    for (let round = 0; round < 3; round++)
      expect(() => writeAtomically(join(disk.path, 'state.json'), Buffer.alloc(80 * 1024))).toThrow('ENOSPC')
    expect([free(), openFiles()]).toEqual([before, opened])
    expect(readdirSync(disk.path)).toEqual(['state.json'])
  } finally {
    disk.unmount()
  }
})
