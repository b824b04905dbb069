import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientConfigForm, ClientFile, ConfiguredClient } from '../../../contract/fleet/client-configs'
import * as contract from '../../../contract/fleet/client-configs'
import { root } from '../../../contract/ddi/endpoints'
import { createDevice, device as deviceEndpoint } from '../../../contract/fleet/devices'
import { pathOf } from '../../../contract/core/endpoint'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { obstacle, updater } from '../../../tests/support/ddi/rauc'
import { createSigner, isInstalled } from '../../../tests/support/ddi/swupdate'
import { freePort } from '../../../tests/support/free-port'
import type { Person } from '../../../tests/support/people'
import { within } from '../../../tests/support/machine-load'

const [swupdate, systemdAnalyze] = ['/usr/bin/swupdate', '/usr/bin/systemd-analyze']
const hasSystemd = existsSync(systemdAnalyze)
// A run of all tests names what is not proven on this machine.
if (!isInstalled)
  process.stderr.write('not run: the generated swupdate.cfg with swupdate, because its package is not installed\n')
if (obstacle !== null) process.stderr.write(`not run: the generated config.conf with rauc-hawkbit-updater, because ${obstacle}\n`)
if (!hasSystemd) process.stderr.write('not run: the generated units with systemd-analyze, because systemd is not installed\n')

let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  await api.app.listen({ port, host: '127.0.0.1' })
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

const generate = (client: ConfiguredClient, facts: Partial<ClientConfigForm> = {}) =>
  api.call(
    contract.createClientConfig,
    { projectId },
    {
      as: ann,
      body: {
        name: 'Line 1',
        client,
        enrollment: 'group',
        hardware_model: 'gw',
        server_url: 'https://devices.example.com/',
        ...facts,
      },
    },
  )

// Every character that a controller id may have and that a format may give a meaning.
const hostile = `gw-'"\\$(id)\`&;|<>{}`
let devices = 0
const newDevice = async (serial_number = hostile) => {
  const body = { name: `Device ${(devices += 1)}`, hardware_model: 'gw', protocol: 'ddi' as const, serial_number }
  const made = await api.call(createDevice, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  return made.body
}

let own: Awaited<ReturnType<typeof newDevice>>
beforeAll(async () => {
  own = await newDevice()
})
const filesFor = async (client: ConfiguredClient): Promise<readonly ClientFile[]> => {
  const made = await generate(client, { enrollment: 'pre_enrolled', device_id: own.id, device_token: own.device_token })
  expect(made.status, made.text).toBe(201)
  return made.body.files
}
const textOf = (files: readonly ClientFile[], name: string) => files.find(({ path }) => path.endsWith(`/${name}`))?.text ?? ''

/** The files in a folder in place of the root of a device. */
const install = (files: readonly ClientFile[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'teasel-client-'))
  const move = (text: string) => text.replaceAll(/(?<![\w/])\/(etc|run|usr\/lib)\//g, `${folder}/$1/`)
  for (const { path, mode, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), move(text), { mode })
  }
  for (const name of ['run/swupdate', 'run/rauc-hawkbit-updater']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'etc/os-release'), 'NAME="Field OS"\nVERSION_ID="2.1.0 \\"b\\""\n')
  writeFileSync(join(folder, 'etc/machine-id'), '0123456789abcdef0123456789abcdef\n')
  const prepare = (client: string) => spawnSync(join(folder, 'usr/lib', client, 'prepare'), { encoding: 'utf8' })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  return { folder, prepare, read }
}

describe('the files of a hawkBit client', () => {
  it('have a token for a group by which a device registers itself, short for Zephyr', async () => {
    const made = await generate('swupdate')
    expect(made.body.enrollment_limits?.max_uses).toBeNull()
    const [, token = ''] = /gatewaytoken = "(enr_\w{49})"/.exec(textOf(made.body.files, 'swupdate.cfg')) ?? []
    const poll = await api.app.inject({
      url: pathOf(root.path, { tenant: 'DEFAULT', controllerId: 'machine-1' }),
      headers: { host: new URL(api.config.urls.api).host, authorization: `GatewayToken ${token}` },
    })
    expect(poll.statusCode, poll.payload).toBe(200)
    const zephyr = (await generate('zephyr')).body.files[0]?.text ?? ''
    expect(zephyr).toMatch(/CONFIG_HAWKBIT_DDI_SECURITY_TOKEN="ens_\w{28}"/)
    expect(zephyr).toContain('CONFIG_HAWKBIT_DDI_GATEWAY_SECURITY=y')
    expect(zephyr).toContain('CONFIG_HAWKBIT_SERVER="devices.example.com"\nCONFIG_HAWKBIT_PORT=443')
  })

  it('have the id and token of one device, and refuse those of another or of one with the agent', async () => {
    expect(textOf(await filesFor('rauc'), 'config.conf')).toContain(`auth_token = ${own.device_token}`)
    const other = await newDevice('gw-2')
    const mixed = { enrollment: 'pre_enrolled' as const, device_id: other.id, device_token: own.device_token }
    const agent = (await api.call(createDevice, { projectId }, { as: ann, body: { name: 'Agent', hardware_model: 'gw' } })).body
    const agentFacts = { enrollment: 'pre_enrolled' as const, device_id: agent.id, device_token: agent.device_token }
    const model = { ...mixed, device_token: other.device_token, hardware_model: 'cam' }
    const fields = []
    for (const facts of [mixed, agentFacts, model, { enrollment: 'pre_enrolled' as const }])
      fields.push((await generate('swupdate', facts)).error.details[0]?.field)
    expect(fields).toEqual(['device_token', 'device_id', 'hardware_model', 'device_id'])
  })

  it.skipIf(!isInstalled)('are read by swupdate, which polls with them and reports what the boot script adds', async () => {
    const device = await newDevice('gw-real')
    const made = await generate('swupdate', {
      enrollment: 'pre_enrolled',
      device_id: device.id,
      device_token: device.device_token,
      server_url: api.config.urls.api,
    })
    const { folder, prepare, read } = install(made.body.files)
    const { cert } = await createSigner(join(folder, 'signer'))
    writeFileSync(join(folder, 'etc/swupdate/cert.pem'), readFileSync(cert))
    expect(prepare('swupdate')).toMatchObject({ status: 0, stderr: '' })
    expect(read('run/swupdate/environment')).toBe('HARDWARE="gw:1.0"\nSURICATTA=""\n')
    const options = ['-f', join(folder, 'run/swupdate/swupdate.cfg'), '-H', 'gw:1.0', '-u', '']
    const child = spawn(swupdate, options, {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder, RUNTIME_DIRECTORY: folder },
      stdio: 'ignore',
      detached: true,
    })
    const attributes = async () => (await api.call(deviceEndpoint, { deviceId: device.id }, { as: ann })).body.attributes
    try {
      await expect.poll(attributes, { timeout: within(30_000) }).toMatchObject({ sw_version: '2.1.0 b', hw_boardname: 'gw' })
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }
  })

  it.skipIf(obstacle !== null)(
    'are read by rauc-hawkbit-updater, which polls with them and reports what the boot script adds',
    async () => {
      const device = await newDevice('gw-rauc')
      const made = await generate('rauc', {
        enrollment: 'pre_enrolled',
        device_id: device.id,
        device_token: device.device_token,
        server_url: api.config.urls.api,
      })
      const { folder, prepare } = install(made.body.files)
      expect(prepare('rauc-hawkbit-updater')).toMatchObject({ status: 0, stderr: '' })
      await promisify(execFile)(updater, ['--run-once', '-c', join(folder, 'run/rauc-hawkbit-updater/config.conf')])
      const { attributes } = (await api.call(deviceEndpoint, { deviceId: device.id }, { as: ann })).body
      expect(attributes).toMatchObject({ sw_version: '2.1.0 "b"', hw_boardname: 'gw' })
    },
  )

  it('are scripts that write what the device runs, for a group with the machine id, whatever the values contain', async () => {
    const { prepare, read } = install(await filesFor('rauc'))
    expect(prepare('rauc-hawkbit-updater')).toMatchObject({ status: 0, stderr: '' })
    const written = read('run/rauc-hawkbit-updater/config.conf')
    expect(written).toContain(`target_name = ${hostile.replaceAll('\\', '\\\\')}\n`)
    // Without it the updater reports a cut download as a failed update.
    expect(written).toContain('\nresume_downloads = true\n')
    expect(written).toMatch(/\n\[device\]\nsw_version = 2\.1\.0 "b"\nboot_id = [\da-f-]{36}\nhw_boardname = gw\n$/)
    const group = install((await generate('swupdate')).body.files)
    expect(group.prepare('swupdate')).toMatchObject({ status: 0, stderr: '' })
    expect(group.read('run/swupdate/swupdate.cfg')).toContain('id = "0123456789abcdef0123456789abcdef";')
  })

  it.skipIf(!hasSystemd)('are units that systemd-analyze verifies', async () => {
    for (const client of ['swupdate', 'rauc'] as const) {
      const files = await filesFor(client)
      const { folder } = install(files)
      const unit = files.find(({ path }) => path.endsWith('.service'))?.path ?? ''
      const path = join(folder, unit)
      // The program itself need not be here.
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/\/usr\/bin\/(swupdate|rauc-hawkbit-updater)/g, '/bin/true'))
      const verify = () => spawnSync(systemdAnalyze, ['verify', '--man=no', '--recursive-errors=no', path], { encoding: 'utf8' })
      expect(verify()).toMatchObject({ status: 0, stderr: '' })
      writeFileSync(path, readFileSync(path, 'utf8').replace('ExecStart=', 'ExecStrat='))
      expect(verify().status).not.toBe(0)
    }
  })
})
