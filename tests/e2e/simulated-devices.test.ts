import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { devices } from '../../contract/fleet/devices'
import { addKey, addRelease, signRelease, startRolloutWithoutHalt } from './support/release-steps'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole()

let bench: string
beforeAll(() => void (bench = mkdtempSync(join(tmpdir(), 'teasel-simulated-'))))
afterAll(() => rmSync(bench, { recursive: true, force: true }))

it('an empty project gets 20 simulated devices by one press, sees them come online, and updates them by a rollout', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list`)
  await page.getByRole('button', { name: 'Add 20 simulated devices' }).click()
  await page.getByRole('status').getByText('of 20 simulated devices are online').waitFor()
  await page.getByRole('status').getByText('20 simulated devices checked in.').waitFor()
  const all = async () => (await call(hosts().api, devices, { projectId }, { as: ines.token })).body.devices
  expect((await all()).filter(({ connectivity }) => connectivity === 'online')).toHaveLength(20)

  const keyPath = join(bench, 'release.key.pem')
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyPath, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await addKey(page, 'Simulator key', String(publicKey.export({ type: 'spki', format: 'pem' })))
  const files = { 'gateway.bin': Buffer.alloc(50_000, 7) }
  await addRelease(page, bench, { name: 'Gateway', displayVersion: '1.0', model: 'gw-imx8m', directory: '/opt/gateway', files })
  await signRelease(page, bench, keyPath)
  const gateways = async () => (await all()).filter(({ hardware_model }) => hardware_model === 'gw-imx8m')
  await expect.poll(async () => (await gateways()).filter(({ trusted_keys }) => trusted_keys.length === 1).length).toBe(8)
  // A simulated update fails in 1 of 20 cases at random, as some do in the field: those that succeed prove the way.
  await startRolloutWithoutHalt(page, 8)
  await expect
    .poll(async () => (await gateways()).filter(({ installed }) => installed?.display_version === '1.0').length, {
      timeout: within(120_000),
      interval: 1000,
    })
    .toBeGreaterThan(4)
})
