import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { assert } from 'superstruct'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { createAccessToken } from '../../contract/accounts/access-tokens'
import { createSigningKey } from '../../contract/fleet/keys'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { type Wave, Waves } from '../../contract/updates/rollout-plans'
import { approveRollout } from '../../contract/updates/rollout-steps'
import { type Rollout, projectRollouts } from '../../contract/updates/rollouts'
import { openBrokenLine } from '../support/broken-line'
import { isFull, repetitions } from '../support/counts'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { subscriber } from './support/hosts'
import { root } from './support/product'
import { simulatedFleet } from './support/simulated-fleet'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole({ TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: '1000000' })
const count = repetitions(6, 50)
const size = repetitions(2, 200) * 1_000_000
const outcomeTimeoutMs = within(repetitions(300_000, 1_200_000))

let bench: string
let fleet: ReturnType<typeof simulatedFleet> | undefined
beforeAll(() => void (bench = mkdtempSync(join(tmpdir(), 'teasel-pipeline-'))))
afterAll(async () => {
  await fleet?.stop()
  rmSync(bench, { recursive: true, force: true })
})

const program = join(root, 'dist/cli/teasel.mjs')
const guide = readFileSync(join(root, 'docs/ci.md'), 'utf8')
const fenced = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, body = '']) => body)

const indentOf = (line: string) => /^ */.exec(line)?.[0].length ?? 0
/** The text after a key or a dash: the rest of the line, or the block of a `|`. */
const scalarAt = (lines: readonly string[], at: number, rest: string): string => {
  if (rest !== '|') return rest
  const indent = indentOf(lines[at + 1] ?? '')
  const end = lines.findIndex((line, n) => n > at && line !== '' && indentOf(line) < indent)
  const block = lines.slice(at + 1, end === -1 ? undefined : end)
  return block.map((line) => line.slice(indent)).join('\n')
}
const scalars = (job: string, start: RegExp): string[] => {
  const lines = job.split('\n')
  return lines.flatMap((line, at) => {
    const [, rest] = start.exec(line) ?? []
    return rest === undefined ? [] : [scalarAt(lines, at, rest)]
  })
}
const [github = '', gitlab = ''] = fenced('yaml')
/** Each step of GitHub Actions is a script of its own; GitLab runs all lines in one shell. */
const githubSteps = scalars(github, /^ +run: (.+)$/)
const gitlabSteps = [scalars(/^ {2}script:\n(.*?)^ {2}\w/ms.exec(gitlab)?.[1] ?? '', /^ {4}- (.+)$/).join('\n')]

type Ran = { status: number | null; stdout: string; stderr: string }
const bash = async (script: string, env: Record<string, string>): Promise<Ran> => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEASEL_'))
  const options = { cwd: bench, env: { ...Object.fromEntries(own), ...env } }
  const child = spawn('bash', ['-eo', 'pipefail', '-c', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { status, stdout, stderr }
}
/** Runs the steps until one fails, as a runner does. */
const runJob = async (steps: readonly string[], env: Record<string, string>): Promise<Ran> => {
  let last: Ran = { status: null, stdout: '', stderr: '' }
  for (const step of steps) {
    last = await bash(step, env)
    if (last.status !== 0) break
  }
  return last
}

/** Of a full run: what the next one is compared with. */
const writeFigures = (figures: object) => {
  if (!isFull) return
  mkdirSync(join(root, 'test-results'), { recursive: true })
  writeFileSync(join(root, 'test-results/pipeline.json'), `${JSON.stringify(figures, null, 2)}\n`)
}

const addAccessToken = async (page: Page) => {
  await page.getByRole('button', { name: 'Add access token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Build server')
  // The rights that the form proposes: Release from CI.
  await dialog.getByRole('button', { name: 'Add access token' }).click()
  const token = (await dialog.getByLabel('Access token', { exact: true }).textContent())?.trim() ?? ''
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  return token
}

it(
  'the jobs of docs/ci.md release over a broken line, end with 3 for a bad release and with 5 where approval is wanted',
  { timeout: within(3_600_000) },
  async () => {
    expect([githubSteps.length, gitlabSteps[0]?.split('node teasel.mjs').length]).toEqual([4, 3])
    const ines = await subscriber(hosts())
    const as = ines.token
    const { body: project } = await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const projectId = project.id
    const home = `${hosts().console}/organizations/none/projects/${projectId}`
    const page = await (await open(ines)).newPage()
    await page.goto(`${home}/access`)
    const token = await addAccessToken(page)

    const made = await bash(`node ${program} keys generate --out . --name release`, {})
    expect(made.status, made.stderr).toBe(0)
    const publicKey = join(bench, 'release.pub.pem')
    const key = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: readFileSync(publicKey, 'utf8') }
    await call(hosts().api, createSigningKey, { projectId }, { as, body: key })
    const facts = { name: 'Line 1', auto_accept: true, max_uses: count }
    const { body: enrollment } = await call(hosts().api, createEnrollmentToken, { projectId }, { as, body: facts })

    const [plan = ''] = fenced('json')
    const { waves } = JSON.parse(plan) as { waves: Wave[] }
    assert(waves, Waves)
    mkdirSync(join(bench, 'deploy'))
    mkdirSync(join(bench, 'build'))
    const brief = waves.map((wave) => ({ ...wave, gate: { ...wave.gate, soak_s: 0 } }))
    writeFileSync(join(bench, 'deploy/plan.json'), JSON.stringify({ waves: brief }))
    const build = () => {
      writeFileSync(join(bench, 'gateway.bin'), randomBytes(size))
      writeFileSync(join(bench, 'build.sh'), 'cp gateway.bin build/gateway.bin\n')
    }
    const line = await openBrokenLine(hosts().api, Math.ceil(size / 3.5))
    const env = (version: number, address = hosts().api) => ({
      TEASEL_URL: address,
      TEASEL_TOKEN: token,
      TEASEL_SHA256: createHash('sha256').update(readFileSync(program)).digest('hex'),
      GITHUB_RUN_NUMBER: String(version),
      GITHUB_REF_NAME: `v${version}`,
      CI_PIPELINE_IID: String(version),
      CI_COMMIT_TAG: `v${version}`,
    })
    const secret = readFileSync(join(bench, 'release.key.pem'), 'utf8')
    rmSync(join(bench, 'release.key.pem'))
    writeFileSync(join(bench, 'kept.pem'), secret)

    const first = join(bench, 'first.bin')
    writeFileSync(first, 'from the factory')
    const push = `node ${program} release push first.bin=/opt/gateway/gateway.bin --name Gateway --version 1 --model gw-imx8m`
    const factory = await bash(`${push} --sign-with kept.pem --json`, env(1))
    expect(factory.status, factory.stderr).toBe(0)
    const installed = `${(JSON.parse(factory.stdout) as { id: string }).id}:1`
    const directory = join(bench, 'fleet')
    const things = simulatedFleet({ api: hosts().api, token: enrollment.token, publicKey, directory, devices: count, installed })
    fleet = things
    things.start('success')
    await expect.poll(() => things.answers().size).toBe(count)

    // The page is open before, and shows both outcomes without a reload.
    const outcomes: object[] = []
    const shows = async (group: string, name: string, word: string, job: Promise<Ran>) => {
      const began = performance.now()
      const seconds = () => Math.round((performance.now() - began) / 100) / 10
      const row = page.getByRole('row', { name: new RegExp(`^${name}`) })
      const shown = row.getByText(word, { exact: true }).waitFor({ timeout: outcomeTimeoutMs }).then(seconds)
      const [ran, ended, console] = await Promise.all([job, job.then(seconds), shown])
      expect(new URL(page.url()).search).toBe(group)
      outcomes.push({ outcome: word, exit: ran.status, seconds: { command: ended, console } })
      return ran
    }
    await page.goto(`${home}/releases/rollouts?group=ended`)
    await page.getByRole('heading', { level: 1, name: 'Rollouts' }).waitFor()
    build()
    const good = runJob(githubSteps, { ...env(2, line.url), SIGNING_KEY: secret })
    const done = await shows('?group=ended', 'Gateway v2', 'Completed', good)
    expect([done.status, done.stderr]).toEqual([0, expect.stringContaining('Gateway v2 is completed')])
    expect(line.breaks).toBe(3)
    await line.close()
    // Run again, nothing is uploaded and no second rollout begins.
    const again = await runJob(githubSteps.slice(2), { ...env(2), SIGNING_KEY: secret })
    expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('exists, and goes on')])

    await things.stop()
    things.start('boot_fails')
    await page.getByText(/^Open \d+$/).click()
    await page.waitForURL((url) => url.search === '')
    build()
    const bad = runJob(gitlabSteps, { ...env(3), SIGNING_KEY: join(bench, 'kept.pem') })
    const halted = await shows('', 'Gateway v3', 'Halted', bad)
    expect([halted.status, halted.stderr]).toEqual([3, expect.stringContaining('Gateway v3 is halted')])

    await hosts().sql(`update projects set settings = settings || '{"require_approval": true}' where id = $1`, [projectId])
    build()
    const asking = runJob(gitlabSteps, { ...env(4), SIGNING_KEY: join(bench, 'kept.pem') })
    const waiting = await shows('', 'Gateway v4', 'Waiting for approval', asking)
    expect([waiting.status, waiting.stderr]).toEqual([5, expect.stringContaining('Another person has to approve')])
    const { body } = await call(hosts().api, projectRollouts, { projectId }, { as })
    const states = new Map(body.rollouts.map((one: Rollout) => [one.name, one.state]))
    expect(states).toEqual(
      new Map([
        ['Gateway v4', 'pending_approval'],
        ['Gateway v3', 'halted'],
        ['Gateway v2', 'completed'],
      ]),
    )
    const rolloutId = body.rollouts.find(({ name }) => name === 'Gateway v4')?.id ?? ''
    const approve = (who: string) => statusOf(hosts().api, approveRollout, { rolloutId }, { as: who, body: {} })
    expect([await approve(token), await approve(as)]).toEqual([403, 409])
    // With the permission as well, the token acts for the author of the rollout.
    const permissions = ['project:view', 'project:manage_releases', 'project:approve_releases'] as const
    const rights = { name: 'Approver', permissions: [...permissions], lifetime_days: 7 as const }
    const { token: approver } = (await call(hosts().api, createAccessToken, { projectId }, { as, body: rights })).body
    const approval = call(hosts().api, approveRollout, { rolloutId }, { as: approver, body: {} })
    await expect(approval).rejects.toThrow(/: 409 .*"self_approval"/)
    writeFigures({ bytes: size, devices: count, breaks: line.breaks, outcomes })
  },
)
