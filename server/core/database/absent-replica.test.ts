import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openReplica } from './replica'
import { within } from '../../../tests/support/machine-load'

it('a replica that does not answer from the start is reported once', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  let looks = 0
  const primary = { query: async () => ({ rows: [{ position: `0/${++looks}` }] }) } as never
  // Nothing listens on port 1.
  const replica = openReplica({ url: 'postgres://teasel:secret@127.0.0.1:1/teasel', primary, log, lookMs: 50 })
  await expect.poll(() => lines.join(''), { timeout: within(30_000) }).toContain('the replica does not answer')
  const seen = looks
  await expect.poll(() => looks, { timeout: within(30_000) }).toBeGreaterThan(seen + 3)
  expect(lines).toHaveLength(1)
  await replica.close()
})
