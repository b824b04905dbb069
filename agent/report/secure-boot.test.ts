import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSecureBoot } from './secure-boot'

let root: string
let state: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teasel-secure-boot-'))
  state = join(root, 'var/lib/agent')
  mkdirSync(state, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

const put = (path: string, bytes: Buffer | string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), bytes)
}
const efi = (name: string, value: number) =>
  put(`sys/firmware/efi/efivars/${name}-8be4df61-93ca-11d2-aa0d-00e098032b8c`, Buffer.from([6, 0, 0, 0, value]))
const report = () => readSecureBoot(state, root)

it('a machine that shows nothing reports an unknown state', () => {
  expect(report()).toEqual({ state: 'unknown' })
})

it.each([
  [1, 0, 'enforcing'],
  [0, 0, 'open'],
  [1, 1, 'open'],
] as const)('UEFI with SecureBoot %i and SetupMode %i is %s', (enforced, setup, expected) => {
  efi('SecureBoot', enforced)
  efi('SetupMode', setup)
  expect(report()).toEqual({ state: expected })
})

const fuses = (set: Readonly<Record<number, number>>) => {
  const bytes = Buffer.alloc(64 * 4)
  for (const [index, value] of Object.entries(set)) bytes.writeUInt32LE(value, Number(index) * 4)
  put('sys/bus/nvmem/devices/imx-ocotp0/nvmem', bytes)
  put('proc/device-tree/compatible', 'acme,gw\0fsl,imx8mm\0')
}

it('the fuses of i.MX 8M give the key hash and whether the part is closed', () => {
  fuses({ 24: 0x04030201, 31: 0xefbeadde })
  expect(report()).toMatchObject({ state: 'open', key_hash: `01020304${'0'.repeat(48)}deadbeef` })
  fuses({ 24: 0x04030201, 7: 0x02000000 })
  expect(report().state).toBe('closed')
  expect(report().words).toContainEqual({ bank: 1, word: 3, value_hex: '2000000' })
  expect(report().words).toContainEqual({ bank: 6, word: 0, value_hex: '4030201' })
})

it('a short fuse file or another processor shows nothing', () => {
  fuses({ 7: 0x02000000 })
  put('sys/bus/nvmem/devices/imx-ocotp0/nvmem', Buffer.alloc(30))
  expect(report()).toEqual({ state: 'unknown' })
  fuses({ 7: 0x02000000 })
  put('proc/device-tree/compatible', 'acme,gw\0ti,am625\0')
  expect(report()).toEqual({ state: 'unknown' })
})

it('the file of the provisioning adds what the platform does not show, and never overrides what it shows', () => {
  const bundle_id = '01K00000000000000000000001'
  put('var/lib/agent/secure-boot.json', JSON.stringify({ state: 'closed', bundle_id, key_hash: 'ab'.repeat(32) }))
  expect(report()).toEqual({ state: 'closed', bundle_id, key_hash: 'ab'.repeat(32) })
  efi('SecureBoot', 0)
  expect(report()).toEqual({ state: 'open', bundle_id, key_hash: 'ab'.repeat(32) })
  put('var/lib/agent/secure-boot.json', JSON.stringify({ state: 'sealed', bundle_id: 5 }))
  expect(report()).toEqual({ state: 'open' })
})
