import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { readAttributes } from './attributes'
import { createMetricsReader } from './metrics'

const gone = join(tmpdir(), 'teasel-no-such-directory')

it('a disk that cannot be asked for its space is left out, and ends neither the metrics nor the check-in', () => {
  const names = createMetricsReader(gone)(0).map(({ name }) => name)
  expect(names).toContain('memory.used_bytes')
  expect(names.filter((name) => name.startsWith('storage.'))).toEqual([])
  expect(readAttributes(gone, 'a')).toMatchObject({ rootfs_slot: 'a' })
  expect(readAttributes(gone, null)).not.toHaveProperty('storage_total_bytes')
})
