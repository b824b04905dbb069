import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccessToken, type NewAccessToken, tokenPermissions } from '../contract/access-tokens'
import { generateSigningKey } from '../contract/device/private-key'
import { pemOf } from '../contract/device/public-key'
import { createSigningKey } from '../contract/keys'
import { type Release, release, releases } from '../contract/releases'
import { createEnrollmentToken } from '../contract/access'
import { enroll, logs } from '../contract/device/endpoints'
import { createTag } from '../contract/tags'
import { createTestApi, type TestApi } from '../tests/support/api'
import { openBrokenLine } from '../tests/support/broken-line'
import { enrollBody } from '../tests/support/devices'
import { fleet } from '../tests/support/fleet'
import { freePort } from '../tests/support/free-port'
import type { Person } from '../tests/support/people'
import { createReleaseFixture } from '../tests/support/release-fixture'
import { createRolloutFixture } from '../tests/support/rollout-fixture'
import { buildCommandLine, runCommandLine } from './testing/program'

let api: TestApi
let program: string
let owner: Person
let folder: string
let projectId: string
let token: string
let projects = 0

const makeToken = async (as: Person, permissions: NewAccessToken['permissions'] = tokenPermissions) => {
  const body = { name: `ci ${Math.random()}`, permissions, lifetime_days: 30 as const }
  const made = await api.call(createAccessToken, { projectId }, { as, body })
  expect(made.status, made.text).toBe(201)
  return made.body.token
}

beforeAll(async () => {
  const port = await freePort()
  const [built, started] = await Promise.all([buildCommandLine(), createTestApi({ TEASEL_API_PORT: String(port) })])
  program = built
  api = started
  await api.app.listen({ port, host: '127.0.0.1' })
  owner = await api.person()
}, 120_000)
afterAll(() => api.close())

beforeEach(async () => {
  projectId = await api.project({ ownerId: owner.id }, `Gateways ${++projects}`)
  token = await makeToken(owner)
  folder = mkdtempSync(join(tmpdir(), 'teasel-cli-'))
})

const teasel = (args: string[], variables: Record<string, string | undefined> = {}) =>
  runCommandLine(program, args, { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token, ...variables })
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what the program prints
const parsed = <T>(text: string): T => JSON.parse(text) as T

const fileOf = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const addKey = async (name = 'release') => {
  const key = await generateSigningKey('ed25519')
  const body = { name, algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  const made = await api.call(createSigningKey, { projectId }, { as: owner, body })
  expect(made.status, made.text).toBe(201)
  return { ...key, path: fileOf(`${name}.key.pem`, key.privateKeyPem) }
}
const pushing = (path: string, version: number, ...more: string[]) => [
  'release',
  'push',
  `${path}=/opt/${basename(path)}`,
  '--name',
  'Gateway',
  '--version',
  String(version),
  '--model',
  'gw',
  ...more,
]

it('whoami says what the token is, and of which project', async () => {
  token = await makeToken(owner, ['project:view', 'device:view'])
  const people = await teasel(['whoami'])
  expect(people).toMatchObject({ status: 0, stderr: '' })
  expect(people.stdout).toContain(projectId)
  expect(people.stdout).toContain('project:view, device:view')
  // No colour without a terminal.
  expect(people.stdout).not.toContain('\u001b')
  const { stdout } = await teasel(['whoami', '--json'])
  expect(parsed(stdout)).toMatchObject({ project: { id: projectId }, access_token: { state: 'active' } })
})

it('without a token, an address or an option it ends with code 2; a token as an argument is refused and not repeated', async () => {
  const usage = async (args: string[], variables: Record<string, string | undefined>, words: string) => {
    const { status, stdout, stderr } = await teasel(args, variables)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
    return stderr
  }
  await usage(['whoami'], { TEASEL_TOKEN: undefined }, 'TEASEL_TOKEN is required')
  await usage(['whoami'], { TEASEL_TOKEN: 'hunter2' }, 'not an access token')
  await usage(['whoami'], { TEASEL_URL: undefined }, '--server or TEASEL_URL is required')
  await usage(['whoami', '--server', 'http://api.example.com'], {}, 'plain http')
  await usage(['release', 'push', 'a.bin'], {}, "required option '--name")
  await usage(['release', 'push', 'a.bin', '--name', 'a', '--version', '1.2', '--model', 'gw'], {}, 'whole number')
  await usage(['release', 'dance'], {}, 'unknown command')
  await usage(pushing('a.bin', 1).with(2, 'a.bin'), {}, 'needs the path on the device')
  expect(await usage(['whoami', '--server', token], {}, 'must not be an argument')).not.toContain(token)
})

it('without a network it says so in one line and ends with code 1', async () => {
  const { status, stdout, stderr } = await teasel(['whoami'], { TEASEL_URL: `http://127.0.0.1:${await freePort()}` })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^teasel: http:\S+ cannot be reached: connect ECONNREFUSED \S+\n$/)
})

it('a project that is not that of the token is refused', async () => {
  const { status, stderr } = await teasel(['release', 'list', '--project', 'Elsewhere'])
  expect([status, stderr]).toEqual([1, expect.stringContaining('the token belongs to the project')])
  expect((await teasel(['release', 'list', '--project', projectId])).status).toBe(0)
})

it('release push makes a signed release, and run again it changes nothing', async () => {
  const { path: key, publicKey } = await addKey()
  const file = fileOf('app.bin', randomBytes(300_000))
  const sbom = fileOf('sbom.json', JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] }))
  const notes = fileOf('notes.md', '# Better\n')
  const more = ['--display-version', '1.0.0', '--notes-file', notes, '--sbom', sbom, '--sign-with', key]
  const first = await teasel(pushing(file, 7, ...more, '--json'))
  expect(first.status, first.stderr).toBe(0)
  expect(first.stderr).toContain('app.bin  100 %')
  const made = parsed<Release>(first.stdout)
  expect(made).toMatchObject({
    version: 7,
    state: 'ready',
    notes: '# Better',
    signatures: [{ fingerprint: publicKey.fingerprint }],
  })
  expect(made.assets.map(({ name, kind, install_location: at }) => [name, kind, at])).toEqual([
    ['app.bin', 'payload', '/opt/app.bin'],
    ['sbom.json', 'sbom', null],
  ])
  const again = await teasel(pushing(file, 7, ...more))
  expect(again.status, again.stderr).toBe(0)
  expect(again.stderr).toBe('')
  const { body } = await api.call(release, { releaseId: made.id }, { as: owner })
  expect(body.revision).toBe(made.revision)
  writeFileSync(file, randomBytes(300_000))
  const other = await teasel(pushing(file, 7, ...more))
  expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('its app.bin has other bytes')])
})

it('release push over a line that breaks goes on from the byte that arrived; when the line is dead, the next run does', async () => {
  const file = fileOf('app.bin', randomBytes(3_000_000))
  const line = await openBrokenLine(api.config.urls.api, 700_000)
  try {
    const whole = await teasel(pushing(file, 1), { TEASEL_URL: line.url })
    expect(whole.status, whole.stderr).toBe(0)
    expect(line.breaks).toBe(4)
    expect(whole.stderr).toContain('Awaits a signature')

    const cut = await openBrokenLine(api.config.urls.api, 700_000)
    const dying = teasel(pushing(file, 2), { TEASEL_URL: cut.url })
    await expect.poll(() => cut.breaks, { interval: 5 }).toBeGreaterThan(0)
    cut.isDown = true
    const dead = await dying
    expect([dead.status, dead.stderr]).toEqual([1, expect.stringContaining('Run the command again to go on from there')])
    await cut.close()
    const resumed = await teasel(pushing(file, 2))
    expect(resumed.status, resumed.stderr).toBe(0)
    expect(resumed.stderr).toMatch(/app\.bin: goes on after \d{6,7} of 3000000 bytes/)
    const { body } = await api.call(releases, { projectId }, { as: owner })
    expect(body.releases.map(({ version, state }) => [version, state])).toEqual([
      [2, 'awaiting_signature'],
      [1, 'awaiting_signature'],
    ])
  } finally {
    await line.close()
  }
}, 120_000)

it('release push replaces a file of a draft that was built anew, and changes its facts', async () => {
  const made = await teasel(pushing(fileOf('app.bin', 'one'), 3, '--sign-with', fileOf('no.pem', 'no key'), '--json'))
  expect([made.status, made.stderr]).toEqual([1, expect.stringContaining('is not an Ed25519 or P-256 private key')])
  // The manifest is built: its files are fixed.
  const fixed = await teasel(pushing(fileOf('app.bin', 'two'), 3))
  expect([fixed.status, fixed.stderr]).toEqual([
    1,
    expect.stringContaining('awaiting signature, and its app.bin has other bytes'),
  ])

  const line = await openBrokenLine(api.config.urls.api, 100_000)
  const breaking = teasel(pushing(fileOf('app.bin', randomBytes(300_000)), 4), { TEASEL_URL: line.url })
  await expect.poll(() => line.breaks, { interval: 5 }).toBeGreaterThan(0)
  line.isDown = true
  expect((await breaking).status).toBe(1)
  await line.close()
  const bytes = randomBytes(200_000)
  const replaced = await teasel(pushing(fileOf('app.bin', bytes), 4, '--display-version', '4.0', '--json'))
  expect(replaced.status, replaced.stderr).toBe(0)
  expect(replaced.stderr).toContain('app.bin has changed since it was uploaded, and replaces it')
  expect(parsed(replaced.stdout)).toMatchObject({ display_version: '4.0', assets: [{ size: 200_000, state: 'ready' }] })
}, 120_000)

it('release push attaches a signature that was made elsewhere, and names what is wrong with another', async () => {
  await addKey()
  const other = await generateSigningKey('ed25519')
  const file = fileOf('app.bin', 'bytes')
  const unknown = await teasel(pushing(file, 1, '--sign-with', fileOf('other.key.pem', other.privateKeyPem)))
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining(`no key ${other.publicKey.fingerprint}`)])
  const bad = await teasel(pushing(file, 1, '--signature', fileOf('bad.sig', Buffer.alloc(64).toString('base64'))))
  expect([bad.status, bad.stderr]).toEqual([1, expect.stringContaining('no key of the project made this signature')])
})

it('a refusal names the field and its rule, also as JSON', async () => {
  const file = fileOf('app.bin', 'bytes')
  expect((await teasel(pushing(file, 5))).status).toBe(0)
  const lower = await teasel(pushing(file, 4))
  expect(lower.status).toBe(1)
  expect(lower.stderr).toContain('  version: Version must be higher than 5 (not_higher)')
  const { stdout, status } = await teasel(pushing(file, 4, '--json'))
  expect([status, parsed(stdout)]).toMatchObject([
    1,
    { error: { status: 422, details: [{ field: 'version', code: 'not_higher' }] } },
  ])
  token = await makeToken(owner, ['project:view'])
  const denied = await teasel(pushing(file, 6))
  expect([denied.status, denied.stderr]).toEqual([1, expect.stringContaining('needs project:manage_releases')])
})

/** The output of a command that must end with 0. */
const printed = async (...args: string[]) => {
  const { status, stdout, stderr } = await teasel(args)
  expect(status, stderr).toBe(0)
  return stdout
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
const valueOf = async <T>(...args: string[]) => parsed<T>(await printed(...args, '--json'))

it('lists, shows, compares and revokes releases', async () => {
  const maker = await createReleaseFixture(api, owner, projectId)
  await maker.signed({ version: 1, bytes: Buffer.from('one') })
  await maker.signed({ version: 2, bytes: Buffer.from('two, longer') })
  const list = await valueOf<Release[]>('release', 'list', '--state', 'ready', '--model', 'gw')
  expect(list.map(({ version }) => version)).toEqual([2, 1])
  expect(await printed('release', 'list', '--limit', '1')).toMatch(/^Version .*\n +2 .*Firmware 2 .*ready .*\n$/)
  expect(await printed('release', 'show', '2')).toMatch(/app\.bin +payload +11 bytes +\/opt\/app\.bin/)
  expect(await printed('release', 'diff', '1', '2')).toMatch(/\/opt\/app\.bin +\w+ +3 bytes +11 bytes/)
  await printed('release', 'revoke', '1', '--reason', 'It does not start on cold boards')
  expect(await valueOf('release', 'show', '1')).toMatchObject({ state: 'revoked' })
  const unknown = await teasel(['release', 'show', '9'])
  expect([unknown.status, unknown.stderr]).toEqual([1, 'teasel: This project has no release with the version 9\n'])
})

it('lists, shows, tags, exports and imports devices, and says why one does not update', async () => {
  await fleet(api, projectId).add({ count: 3, trustedKeys: [] })
  await api.call(createTag, { projectId }, { as: owner, body: { name: 'canary', colour: 'sky' } })
  type Shown = { name: string; tags: { name: string }[] }
  expect(await valueOf<Shown[]>('devices', 'list', '--limit', '2')).toHaveLength(2)
  expect(await printed('devices', 'list', '--model', 'other')).toMatch(/^Name .*\n$/)
  expect(await printed('devices', 'show', 'device 1')).toMatch(/^Device +device 1\n/)
  const tagged = await valueOf<Shown>('devices', 'tag', 'device 1', '--add', 'canary')
  expect(tagged.tags.map(({ name }) => name)).toEqual(['canary'])
  const canaries = await valueOf<Shown[]>('devices', 'list', '--tag', 'canary')
  expect(canaries.map(({ name }) => name)).toEqual(['device 1'])
  expect(await valueOf('devices', 'tag', 'device 1', '--remove', 'canary')).toMatchObject({ tags: [] })
  expect((await printed('devices', 'export')).split('\r\n')).toHaveLength(5)
  expect((await printed('devices', 'export', '--format', 'ndjson')).split('\n')).toHaveLength(4)
  const checks = await printed('why', 'device 1')
  expect(checks).toMatch(/^Check +Result +Observed/m)
  expect(checks).toContain('No update available')
  const missing = await teasel(['why', 'device 9'])
  expect([missing.status, missing.stderr]).toEqual([1, 'teasel: No device has the id, serial number or name device 9\n'])

  const rows = 'controller_id,name,security_token,hardware_model\npump-1,Pump 1,0123456789abcdef0123456789abcdef,gw\n'
  const file = fileOf('devices.csv', rows)
  expect(await valueOf('devices', 'import', file, '--dry-run')).toMatchObject({ dry_run: true, created: 1, failed: 0 })
  expect(await valueOf('devices', 'import', file)).toMatchObject({ created: 1, failed: 0 })
})

it('prints the log lines of a device and follows them; what a device wrote cannot control the terminal', async () => {
  const facts = { name: 'Line 1', auto_accept: true, max_uses: 1 }
  const { body: enrollment } = await api.call(createEnrollmentToken, { projectId }, { as: owner, body: facts })
  const enrolled = await api.call(enroll, {}, { as: enrollment.token, body: enrollBody({ name: 'pump' }) })
  expect(enrolled.status, enrolled.text).toBe(201)
  const write = async (sequence: number, message: string) => {
    const line = { sequence, ts_ms: api.deps.clock().getTime(), level: 'err', unit: 'valved', message, boot_id: randomUUID() }
    const sent = { text: JSON.stringify(line), type: 'application/x-ndjson' as const }
    const { status, text } = await api.call(logs, {}, { as: enrolled.body.device_token, rows: sent })
    expect(status, text).toBe(logs.status)
  }
  await write(1, 'Valve 3 \u001b[31mopened')
  expect(await printed('logs', 'pump')).toMatch(/^\S+Z err +valved: Valve 3 \\e\[31mopened\n$/)
  const following = runCommandLine(
    program,
    ['logs', 'pump', '--follow'],
    { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token },
    { until: 'Valve 4', onOutput: () => void write(2, 'Valve 4 opened') },
  )
  expect((await following).stdout).toMatch(/opened\n\S+Z err +valved: Valve 4 opened\n$/)
})

it('starts a rollout once by its name, takes its steps, and ends with the code of its outcome', async () => {
  const { things, ids, tick } = await createRolloutFixture(api, owner, projectId, 8)
  const starting = ['rollout', 'start', '2', '--target', 'all', '--name', 'June']
  const asked = await teasel(starting)
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining('--yes is required')])
  type Shown = { id: string; state: string }
  const begun = await valueOf<Shown>(...starting, '--yes')
  expect(begun).toMatchObject({ state: 'running', counts: { targeted: 8 } })
  expect((await valueOf<Shown>(...starting, '--yes')).id).toBe(begun.id)
  expect(await printed('rollout', 'list', '--group', 'open')).toContain('June')
  expect(await printed('rollout', 'show', begun.id)).toMatch(/^Wave +Devices/m)
  const step = async (name: string, ...more: string[]) => (await valueOf<Shown>('rollout', name, begun.id, ...more)).state
  const waiting = async () => (await teasel(['rollout', 'wait', begun.id, '--timeout', '1s'])).status
  expect(await waiting()).toBe(4)
  expect(await step('pause')).toBe('paused')
  expect(await step('resume')).toBe('running')
  expect(await step('halt', '--reason', 'Support asked to wait')).toBe('halted')
  expect(await waiting()).toBe(3)
  expect((await teasel(['rollout', 'resume', begun.id])).status).toBe(1)
  expect(await step('resume', '--reason', 'Support has agreed to go on')).toBe('running')
  const gated = await teasel(['rollout', 'continue', begun.id])
  expect([gated.status, gated.stderr]).toEqual([1, expect.stringContaining('409')])
  expect(await step('retry')).toBe('running')
  for (const id of ids) {
    const offer = await things.ask(id)
    if ('envelope' in offer) await things.install(id, offer.rolloutId)
  }
  await tick()
  expect(await step('roll-back', '--reason', 'Valves stay open with it', '--yes')).toBe('rolling_back')
  const other = await valueOf<Shown>('rollout', 'start', '2', '--target', 'all', '--name', 'July', '--yes')
  expect(await valueOf('rollout', 'cancel', other.id, '--mode', 'abort-all')).toMatchObject({ state: 'cancelling' })
  await tick()
  expect((await teasel(['rollout', 'wait', other.id])).status).toBe(1)
}, 120_000)

it('keys: makes a pair, signs a file and verifies it, and the completion of bash knows commands and values', async () => {
  await printed('keys', 'generate', '--out', folder, '--name', 'pair')
  const file = fileOf('app.bin', 'bytes')
  const [key, signature] = [join(folder, 'pair.key.pem'), join(folder, 'app.bin.sig')]
  const verify = ['keys', 'verify', '--public-key', join(folder, 'pair.pub.pem'), '--file', file, '--signature', signature]
  await printed('keys', 'sign', '--key', key, '--file', file, '--out', signature)
  await printed(...verify)
  writeFileSync(file, 'other')
  expect((await teasel(verify)).status).toBe(1)

  const script = fileOf('completion.bash', await printed('completion', 'bash'))
  const complete = (...words: string[]) => {
    const run = [
      `teasel() { ${process.execPath} ${program} "$@"; }`,
      `source ${script}`,
      `COMP_WORDS=(teasel "$@"); COMP_CWORD=$#`,
      `_teasel; echo "\${COMPREPLY[@]}"`,
    ].join('\n')
    return execFileSync('bash', ['-c', run, 'bash', ...words], { encoding: 'utf8' }).trim()
  }
  expect(complete('rollout', 'pa')).toBe('pause')
  expect(complete('release', 'list', '--state', 're')).toBe('rejected ready released revoked')
  expect(complete('why', '--rel')).toBe('--release')
})
