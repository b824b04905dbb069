import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type PlatformId, platformIds } from '../../../../contract/updates/secure-boot/platforms'
import { type FuseStepMove, fuseStepMoves } from '../../../../machines/secure-boot/fuse-step/fuse-step.machine'
import { repetitions } from '../../../../tests/support/counts'
import { bytesOf, completeBundle, planOptions } from '../../../../tests/support/fuse-plan'
import { fusesOf, makePart, momentsOf, type Run, runScript } from '../../../../tests/support/fuse-tools'
import { makeFusePlan } from './plan'
import { writeFuseScript } from './script'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const setUp = (platform: PlatformId) => {
  const { bundle, files } = completeBundle(platform)
  const folder = mkdtempSync(join(tmpdir(), 'fuse-script-'))
  folders.push(folder)
  const part = makePart(folder)
  for (const file of files) writeFileSync(join(part.bundle, file.file_name), bytesOf(bundle, file))
  const plan = makeFusePlan(bundle, files, { kind: 'blank' }, planOptions)
  const script = writeFuseScript(bundle, plan, { kind: 'blank' })
  const environment = {
    KEY_HASH: bundle.keyHash ?? '',
    ...(['nxp-hab', 'nxp-ahab', 'stm32mp'].includes(platform) && { DEVICE_RUN: 'u-boot' }),
  }
  return { bundle, files, part, plan, script, environment }
}
type SetUp = ReturnType<typeof setUp>

const blankOf = (expected: string) => (expected.startsWith('0x') ? '0x0' : '0'.repeat(expected.length))

/** A person who does what the script asks; `hand` is what was written by hand. */
const person = ({ bundle, part }: SetUp, hand = new Set<string>()) => {
  let asked = ''
  return (prompt: string): string | null => {
    if (prompt.includes('Type the name of the bundle')) return bundle.name
    const phrase = /Type "(.*)" to continue/.exec(prompt)?.[1]
    if (phrase !== undefined) return phrase
    if (prompt.includes('Type "done"')) return 'done'
    const expected = /Expected in the end: (.*)\n/.exec(prompt)?.[1]
    if (expected !== undefined) {
      asked = expected
      const burned = fusesOf(part)['key-hash']
      if (burned !== undefined && expected === bundle.keyHash) return burned
      return hand.has(expected) ? expected.replace(/ of .*/, '') : blankOf(expected)
    }
    if (prompt.includes('Do it now')) {
      hand.add(asked)
      return ''
    }
    return null
  }
}

const moveOf: Record<string, FuseStepMove> = {
  confirmed: 'step.confirmed',
  written: 'write.ended',
  verified: 'value.matched',
  mismatch: 'value.differed',
}

/** Every line that a script prints is a transition of the chart. */
const expectChart = ({ steps }: Run) => {
  let [at, state]: [string, ReturnType<typeof fuseStepMoves.next>] = ['', 'blocked']
  for (const line of steps) {
    const [, step = '', event = ''] = /^step (\d+): (\w+)$/.exec(line) ?? []
    if (event === 'pending') {
      ;[at, state] = [step, fuseStepMoves.next('blocked', 'steps.verified')]
      continue
    }
    expect(step, line).toBe(at)
    const move = moveOf[event]!
    expect(fuseStepMoves.canMove(state, move), `${line} in state ${state}`).toBe(true)
    state = fuseStepMoves.next(state, move)
    expect(state, line).toBe(event)
  }
}

/** The fuses that the plan says, from its words and the commands of its tools. */
const expectedFuses = ({ bundle, part }: SetUp): Record<string, string> => {
  const words: Record<string, number> = {}
  const all = [...bundle.fuseConfig.words, bundle.fuseConfig.close_step?.word].filter((word) => word != null)
  for (const { bank, word, value_hex } of all) {
    const place = `${bank}-${word}`
    words[place] = ((words[place] ?? 0) | Number.parseInt(value_hex, 16)) >>> 0
  }
  const byWords = Object.fromEntries(Object.entries(words).map(([place, value]) => [place, String(value)]))
  const spaced = ` ${bundle.keyHash?.match(/../g)?.join(' ')}`.trim()
  const list = (role: string) => `bytes of ${role}'s file.bin`
  const byTool: Partial<Record<PlatformId, Record<string, string>>> = {
    'nxp-hab': byWords,
    'nxp-ahab': { ...byWords, lifecycle: '1' },
    stm32mp: byWords,
    esp32: {
      BLOCK_KEY0: spaced,
      KEY_PURPOSE_0: 'SECURE_BOOT_DIGEST0',
      WR_DIS: '1',
      SECURE_BOOT_KEY_REVOKE1: '1',
      SECURE_VERSION: '7',
      DIS_PAD_JTAG: '1',
      SECURE_BOOT_EN: '1',
    },
    uefi: {
      'efi-db': list('uefi_db'),
      'efi-KEK': list('uefi_kek'),
      'efi-PK': list('uefi_pk'),
      'setup-mode': '0',
    },
    rpi: { 'key-hash': bundle.keyHash!, devkey: '1' },
    'nvidia-jetson': { 'key-hash': bundle.keyHash!, SecurityMode: '1' },
  }
  expect(existsSync(part.fuses)).toBe(true)
  return Object.fromEntries(Object.entries(byTool[bundle.platform] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const withTools = platformIds.filter((platform) => !['ti-k3', 'riscv-polarfire', 'u-boot-fit', 'mcuboot'].includes(platform))

it.each(platformIds)('the script for %s is valid for sh, and runs to the state that the plan says', async (platform) => {
  const one = setUp(platform)
  execFileSync('sh', ['-n'], { input: one.script })
  const run = await runScript(one.part, one.script, person(one), one.environment)
  expect(run.code, run.output).toBe(0)
  expect(fusesOf(one.part)).toEqual(expectedFuses(one))
  expectChart(run)
  // A second run writes nothing, and asks for no confirmation of what it can read.
  const moments = momentsOf(one.part)
  const again = await runScript(one.part, one.script, person(one), one.environment)
  expect(fusesOf(one.part)).toEqual(expectedFuses(one))
  if (['nxp-hab', 'nxp-ahab', 'stm32mp', 'esp32'].includes(platform)) {
    expect(again.code, again.output).toBe(0)
    expect(momentsOf(one.part)).toBe(moments)
    expect(again.steps.filter((line) => line.endsWith('written'))).toEqual([])
  }
})

describe('a script that is killed at any moment of a write', () => {
  it.each(withTools)('for %s ends in the state that the plan says when it is run again', async (platform) => {
    const whole = setUp(platform)
    await runScript(whole.part, whole.script, person(whole), whole.environment)
    const moments = momentsOf(whole.part)
    expect(moments).toBeGreaterThan(1)
    const tries = Math.min(moments, repetitions(1, moments))
    for (let at = 0; at < tries; at += 1) {
      const one = setUp(platform)
      const killAt = 1 + Math.floor(((2 * at + 1) * moments) / (2 * tries))
      const hand = new Set<string>()
      const killed = await runScript(one.part, one.script, person(one, hand), { ...one.environment, KILL_AT: String(killAt) })
      expect(killed.signal).toBe('SIGKILL')
      const run = await runScript(one.part, one.script, person(one, hand), one.environment)
      expect(run.code, run.output).toBe(0)
      expect(fusesOf(one.part)).toEqual(expectedFuses(one))
      expectChart(run)
    }
  })
})

const isClosed = ({ part }: SetUp) => (Number(fusesOf(part)['1-3'] ?? 0) & 0x2000000) !== 0

describe('a script', () => {
  it('writes nothing when the name of the bundle is not typed', async () => {
    const one = setUp('nxp-hab')
    const run = await runScript(one.part, one.script, () => 'another', one.environment)
    expect(run.code).toBe(1)
    expect(fusesOf(one.part)).toEqual({})
  })

  it('writes nothing of a step whose phrase is not typed, and never closes the part after it', async () => {
    const one = setUp('nxp-hab')
    const usual = person(one)
    const run = await runScript(
      one.part,
      one.script,
      (prompt) => (prompt.includes('"write JTAG_SMODE"') ? 'yes' : usual(prompt)),
      one.environment,
    )
    expect(run.code).toBe(1)
    expect(run.output).toContain('not confirmed')
    expect(Number(fusesOf(one.part)['9-2']) & 0xc00000).toBe(0)
    expect(isClosed(one)).toBe(false)
  })

  it('ends without a write when the input ends', async () => {
    const one = setUp('nxp-hab')
    const run = await runScript(one.part, one.script, () => null, one.environment)
    expect(run.code).toBe(1)
    expect(fusesOf(one.part)).toEqual({})
  })

  it('refuses a part with another key hash before it writes, and names what it shows', async () => {
    const one = setUp('nxp-hab')
    writeFileSync(join(one.part.fuses, '7-2'), '4294967295\n')
    const run = await runScript(one.part, one.script, person(one), one.environment)
    expect(run.code).toBe(1)
    expect(run.steps.at(-1)).toMatch(/mismatch$/)
    expect(run.output).toContain('cannot be changed')
    expect(isClosed(one)).toBe(false)
    expectChart(run)
  })

  it('never closes a part on which a write had no effect', async () => {
    const one = setUp('nxp-hab')
    // A tool that says that it has written, and has not.
    const lazy = join(one.part.tools, 'lazy')
    writeFileSync(lazy, `#!/bin/sh\ncase $1 in 'fuse prog -y 9 1 '*) exit 0 ;; esac\nexec u-boot "$1"\n`, { mode: 0o755 })
    const run = await runScript(one.part, one.script, person(one), { ...one.environment, DEVICE_RUN: 'lazy' })
    expect(run.code).toBe(1)
    expect(run.output).toContain('the value is not there')
    expect(isClosed(one)).toBe(false)
  })

  it('never closes a part whose boot shows an authentication event', async () => {
    const one = setUp('nxp-hab')
    const noisy = join(one.part.tools, 'noisy')
    writeFileSync(noisy, `#!/bin/sh\nu-boot "$1" | sed 's/No HAB Events Found!/HAB Event 1/'\n`, { mode: 0o755 })
    const run = await runScript(one.part, one.script, person(one), { ...one.environment, DEVICE_RUN: 'noisy' })
    expect(run.code).toBe(1)
    expect(isClosed(one)).toBe(false)
    expect(Object.keys(fusesOf(one.part))).not.toContain('9-0')
  })

  it('stops at a value that it cannot read', async () => {
    const one = setUp('nxp-hab')
    const broken = join(one.part.tools, 'broken')
    writeFileSync(broken, `#!/bin/sh\ncase $1 in 'fuse sense'*) echo ERROR ;; *) exec u-boot "$1" ;; esac\n`, { mode: 0o755 })
    const run = await runScript(one.part, one.script, person(one), { ...one.environment, DEVICE_RUN: 'broken' })
    expect(run.code).toBe(1)
    expect(run.output).toContain('no value in: ERROR')
    expect(fusesOf(one.part)).toEqual({})
  })

  it('refuses a digest file that is not the key hash of the bundle', async () => {
    const one = setUp('esp32')
    const digest = one.files.find(({ role }) => role === 'key_hash')!
    writeFileSync(join(one.part.bundle, digest.file_name), Buffer.alloc(32, 7))
    const run = await runScript(one.part, one.script, person(one), one.environment)
    expect(run.code).toBe(1)
    expect(fusesOf(one.part)).toEqual({})
  })

  it('works by hand at the U-Boot prompt where no program types the commands', async () => {
    const one = setUp('nxp-ahab')
    const usual = person(one)
    const { DEVICE_RUN: _, ...environment } = one.environment as Record<string, string>
    const run = await runScript(
      one.part,
      one.script,
      (prompt) => {
        const command = /Type at the U-Boot prompt:\n\n {2}(.*)\n/.exec(prompt)?.[1]
        if (command === undefined) return usual(prompt)
        const shown = execFileSync(join(one.part.tools, 'u-boot'), [command], { env: { ...process.env, FUSES: one.part.fuses } })
        return `${shown.toString()}.`
      },
      environment,
    )
    expect(run.code, run.output).toBe(0)
    expect(fusesOf(one.part)).toEqual(expectedFuses(one))
  })

  it('is not written for a refused plan', () => {
    const { bundle, files } = completeBundle('nxp-hab')
    const refused = makeFusePlan(bundle, files, { kind: 'blank' }, { ...planOptions, lowestRollbackVersion: 9 })
    expect(() => writeFuseScript(bundle, refused, { kind: 'blank' })).toThrow('rollback_lower')
  })

  it('quotes names that people chose', () => {
    const name = `x'; touch hacked; echo "$(id)" \`id\` '`
    const { bundle, files } = completeBundle('esp32', { name })
    const hostile = files.map((file) => ({ ...file, file_name: `a'$(touch hacked)' b.bin` }))
    const plan = makeFusePlan(bundle, hostile, { kind: 'blank' }, planOptions)
    const script = writeFuseScript(bundle, plan, {
      kind: 'device',
      name: 'one\ntouch hacked',
      report: { state: 'open', rollback_version: 0 },
    })
    const start = script.split('\n').find((line) => line.startsWith("answer '"))!
    const words = execFileSync('sh', ['-c', start.replace('answer', "printf '%s'")])
    expect(words.toString()).toBe(`Type the name of the bundle to start: ${name}`)
    execFileSync('sh', ['-n'], { input: script })
    expect(script.split('\n').filter((line) => /^\s*touch hacked/.test(line))).toEqual([])
  })
})
