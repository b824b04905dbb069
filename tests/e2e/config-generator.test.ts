import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey } from '../../contract/fleet/keys'
import { withAxe } from './every-route/check-page'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()
let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'teasel-one-liner-'))))
afterAll(() => rmSync(folder, { recursive: true }))

it('the config generator previews each change, and gives the file as text, QR code and shell one-liner', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  for (let n = 1; n <= 8; n++) {
    const { publicKey } = await generateSigningKey('ed25519')
    const body = { name: `release ${n}`, algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
    await call(hosts().api, createSigningKey, { projectId }, { as: ines.token, body })
  }
  const context = await open(ines)
  await withAxe(context)
  const page = await context.newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/device-config-generator`)
  const reboot = `sh -c 'reboot -f' # ${'x'.repeat(900)}`
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const preview = page.getByLabel('Preview of the device configuration')
  const marked = async () =>
    (await preview.locator('[data-marked]').allInnerTexts()).map((line) => line.replace(/^\d+\s*/, '').trim())

  await field('Name').fill("O'Neil line")
  await field('Hardware model').fill('gw-imx8m')
  await page.getByText('A/B slots').click()
  await field('Slot a').fill('/dev/mmcblk2p2')
  await field('Slot b').fill('/dev/mmcblk2p3')
  await field('Identity path').fill('/proc/device-tree/serial-number')
  await field('Fallback manifest URL').fill('http://mirror.example.com/m.json')
  await field('Reboot command').fill(reboot)
  await page.getByLabel('Polling interval').fill('7200')
  await expect.poll(() => marked()).toEqual(['"polling_interval_s": 7200,'])
  await page.getByText('For a trial: state may be under /tmp').click()
  await expect.poll(() => field('Persistent directory').inputValue()).toBe('/tmp/teasel')
  await expect.poll(() => marked()).toEqual(['"persistent_directory": "/tmp/teasel",'])
  await page.getByText('State in /tmp is lost at reboot').waitFor()

  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByText('Fallback manifest URL must start with https://').first().waitFor()
  await field('Fallback manifest URL').fill('https://mirror.example.com/m.json')
  await page.getByRole('button', { name: 'Generate' }).click()
  const file = page.getByLabel('Device configuration', { exact: true })
  await file.waitFor()
  const line = await page.getByLabel('Shell one-liner that writes the file').innerText()
  execFileSync('/bin/sh', ['-c', line], { cwd: folder })
  const written = readFileSync(join(folder, 'device.json'), 'utf8')
  const config = JSON.parse(written) as Record<string, unknown>
  expect(config).toMatchObject({
    update_mode: 'ab_rootfs',
    slots: { a: '/dev/mmcblk2p2', b: '/dev/mmcblk2p3' },
    identity_path: '/proc/device-tree/serial-number',
    fallback_manifest_url: 'https://mirror.example.com/m.json',
    reboot_command: reboot,
    polling_interval_s: 7200,
  })
  expect(config.public_keys).toHaveLength(8)

  await page.getByRole('button', { name: 'Show QR code' }).click()
  await page.getByText('A QR code holds at most').waitFor()

  // A shorter file fits into a code.
  await field('Reboot command').fill('reboot')
  await page.getByText('The form has changed since this file was generated.').waitFor()
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByText('The form has changed since this file was generated.').waitFor({ state: 'detached' })
  await page.getByRole('img', { name: 'device.json as a QR code' }).waitFor()

  const pasted = page.getByRole('textbox', { name: 'Content of the file' })
  const check = page.getByRole('button', { name: 'Check', exact: true })
  await pasted.fill(written)
  await check.click()
  await page.getByText('The agent accepts this file, with 2 warnings.').waitFor()
  await pasted.fill(JSON.stringify({ ...config, public_keys: [], speed: 9 }))
  await check.click()
  await page.getByText('The agent refuses this file: 2 errors.').waitFor()
  await pasted.fill('{"a": 1,}')
  await check.click()
  await page.getByText('Line 1, column 9: a key in quotation marks is expected').waitFor()
  expect(
    await page.evaluate(async () => (await window.axe.run(document, {})).violations.map(({ id, nodes }) => [id, nodes[0]?.html])),
  ).toEqual([])
})
