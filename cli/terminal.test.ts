import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccessToken, tokenPermissions } from '../contract/accounts/access-tokens'
import { haltRollout } from '../contract/updates/rollout-steps'
import { projectRollouts } from '../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../tests/support/api'
import { openBrokenLine } from '../tests/support/broken-line'
import { freePort } from '../tests/support/free-port'
import type { Person } from '../tests/support/people'
import { createRolloutFixture } from '../tests/support/rollout-fixture'
import { buildCommandLine, hasTerminals, runOnTerminal } from './testing/program'

let api: TestApi
let program: string
let owner: Person
let projectId: string
let projects = 0
let variables: Record<string, string>

beforeAll(async () => {
  const port = await freePort()
  const [built, started] = await Promise.all([buildCommandLine(), createTestApi({ TEASEL_API_PORT: String(port) })])
  program = built
  api = started
  await api.app.listen({ port, host: '127.0.0.1' })
  owner = await api.person()
})
afterAll(() => api.close())

beforeEach(async () => {
  projectId = await api.project({ ownerId: owner.id }, `Gateways ${++projects}`)
  const body = { name: 'ci', permissions: tokenPermissions, lifetime_days: 30 as const }
  const { token } = (await api.call(createAccessToken, { projectId }, { as: owner, body })).body
  variables = { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token }
})

const colour = '\u001b['
const typing = (text: string) => ({ until: /\[y\/N\] /, text: `${text}\n` })

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it('teasel colours its output, unless NO_COLOR is set or the terminal is dumb', async () => {
    const show = (more: Record<string, string>) => runOnTerminal(program, ['whoami'], { ...variables, ...more })
    const plain = [await show({ NO_COLOR: '1' }), await show({ TERM: 'dumb' })]
    const coloured = await show({})
    expect([coloured, ...plain].map(({ status }) => status)).toEqual([0, 0, 0])
    expect(coloured.shown).toContain(`${colour}2mToken`)
    for (const { shown } of plain) {
      expect(shown).toMatch(/^Token +ci/m)
      expect(shown).not.toContain(colour)
    }
  })

  it('release push draws its progress in one line, which is drawn anew', async () => {
    const size = 3_000_000
    const file = join(mkdtempSync(join(tmpdir(), 'teasel-terminal-')), 'gateway.bin')
    writeFileSync(file, randomBytes(size))
    // The upload breaks in its middle, so there is a share to show before the whole.
    const line = await openBrokenLine(api.config.urls.api, size / 2)
    const push = ['release', 'push', `${file}=/opt/gateway.bin`, '--name', 'Gateway', '--version', '1', '--model', 'gw']
    const { status, shown } = await runOnTerminal(program, push, { ...variables, TEASEL_URL: line.url })
    await line.close()
    expect(status, shown).toBe(0)
    const drawings = shown.split(`\r${colour}2K`).slice(1)
    expect(drawings.length).toBeGreaterThan(1)
    const bar = /^gateway\.bin  [█░]{28}  (\d+) %  [\d.]+ (?:bytes|[KM]B) of 2\.86 MB/
    const shares = drawings.map((text) => Number(bar.exec(text)?.[1]))
    expect(shares.at(0)).toBeLessThan(100)
    expect(shares.at(-1)).toBe(100)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    // Only the last one ends its line.
    expect(drawings.slice(0, -1).filter((text) => text.includes('\n'))).toEqual([])
    expect(drawings.at(-1)).toContain(`${'█'.repeat(28)}  100 %  2.86 MB of 2.86 MB\r\n`)
  })

  it('rollout start asks before it starts: y starts the rollout, n and Enter start nothing', async () => {
    await createRolloutFixture(api, owner, projectId, 3)
    const start = ['rollout', 'start', '2', '--target', 'all', '--name', 'June']
    const rollouts = async () => (await api.call(projectRollouts, { projectId }, { as: owner })).body.rollouts.length
    for (const answer of ['n', '', 'yesterday']) {
      const { status, shown } = await runOnTerminal(program, start, variables, typing(answer))
      expect([status, await rollouts()], shown).toEqual([1, 0])
      expect(shown).toContain('Start this rollout? [y/N] ')
      expect(shown).toContain('Nothing was started')
    }
    const { status, shown } = await runOnTerminal(program, start, variables, typing('y'))
    expect([status, await rollouts()], shown).toEqual([0, 1])
    expect(shown).toContain('Created June')
  })

  it('rollout wait draws the table of waves in its place until the outcome', async () => {
    const { start } = await createRolloutFixture(api, owner, projectId, 3)
    const { id: rolloutId, name } = await start()
    const waiting = runOnTerminal(program, ['rollout', 'wait', rolloutId], variables)
    const reads = () => api.lines.filter((line) => line.includes('"route":"/rollouts/:rolloutId"')).length
    const before = reads()
    await expect.poll(() => reads() - before).toBeGreaterThan(1)
    const body = { reason: 'Support asked to wait' }
    expect((await api.call(haltRollout, { rolloutId }, { as: owner, body })).status).toBe(200)
    const { status, shown } = await waiting
    expect(status, shown).toBe(3)
    // One line of the state, one of the columns, one wave.
    const drawings = shown.split(`${colour}3A${colour}0J`)
    expect(drawings.length).toBeGreaterThan(1)
    expect(drawings[0]).toContain(`${name} is running\r\n`)
    expect(drawings.at(-1)).toMatch(new RegExp(`^${name} is halted: .*Support asked to wait`))
    for (const drawing of drawings.slice(0, -1)) expect(drawing.trim().split('\r\n')).toHaveLength(3)
  })
})
