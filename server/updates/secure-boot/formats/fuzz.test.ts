import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { isFull, repetitions } from '../../../../tests/support/counts'
import { root } from '../../../core/root'
import { within } from '../../../../tests/support/machine-load'

const inputs = repetitions(5000, 100_000)

it(
  `The parsers of secure-boot files end with a result or a named rule for ${inputs} damaged files, within 64 MiB`,
  async () => {
    const seed = isFull ? String(Date.now() % 1_000_000_000) : '20261122'
    const script = 'server/updates/secure-boot/testing/fuzz.ts'
    // The heap is limited as well: the parsers run beside other jobs of the server.
    const limits = ['--max-old-space-size=128', '--max-semi-space-size=2', '--expose-gc']
    const { stdout } = await promisify(execFile)(process.execPath, [...limits, '--import', 'tsx', script, String(inputs), seed], {
      cwd: root,
      // A parser that does not end is killed, and the test fails.
      timeout: within(repetitions(300_000, 3_000_000)),
      maxBuffer: 16 * 1_048_576,
    })
    const result: { inputs: number; mebibytes: number } = JSON.parse(stdout)
    expect(result.inputs).toBe(inputs)
    expect(result.mebibytes).toBeLessThan(64)
  },
  repetitions(300_000, 3_000_000),
)
