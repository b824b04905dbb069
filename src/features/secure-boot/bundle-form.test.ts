import { expect, it } from 'vitest'
import { checkFields } from '../../../contract/core/field-errors'
import { NewBundleForm, plainHex, readNewBundle } from './bundle-form'

const base = {
  name: 'Gateway boot',
  platform: 'esp32',
  version: '3',
  hardware_models: 'gw-1, gw-2',
  description: '',
  rollback_version: '2',
  'fuse_config.debug_lock': 'closed',
}
const word = (at: string, changes: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries({
      bank: '0',
      word: '4',
      name: 'SECURE_BOOT_EN',
      value_hex: '0x10',
      mask_hex: '00 00 00 10',
      irreversible: 'on',
      purpose: 'feature',
      ...changes,
    }).map(([name, value]) => [`${at}.${name}`, value]),
  )

const read = (values: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries({ ...base, ...values })) data.set(name, value)
  return readNewBundle(data)
}
const errorsOf = (values: Record<string, string>) => {
  const [errors] = checkFields(read(values), NewBundleForm)
  return (errors ?? []).map(({ field, message }) => [field, message])
}

it('hex is taken with 0x, in capitals and in groups', () => expect(plainHex('0xAB cd:EF')).toBe('abcdef'))

it('the controls of a bundle become its body', () => {
  const closing = { ...word('fuse_config.close_step.word'), 'fuse_config.close_step.confirm': 'Gateway boot' }
  const values = {
    ...word('fuse_config.words.0'),
    ...closing,
    close: 'on',
    'fuse_config.close_step.samples_tested': 'on',
    'keys.0.slot': '0',
    'keys.0.key_id': '01HZX3V5K8Q2M4N6P7R9S0T1V2',
    'keys.1.slot': '1',
    'keys.1.public_key_pem': '-----BEGIN PUBLIC KEY-----\nMCo=\n-----END PUBLIC KEY-----',
    'keys.1.revoked': 'on',
  }
  const written = {
    bank: 0,
    word: 4,
    name: 'SECURE_BOOT_EN',
    value_hex: '10',
    mask_hex: '00000010',
    irreversible: true,
    purpose: 'feature',
  }
  expect(read(values)).toEqual({
    name: 'Gateway boot',
    platform: 'esp32',
    version: 3,
    hardware_models: ['gw-1', 'gw-2'],
    description: '',
    rollback_version: 2,
    key_hash: null,
    keys: [
      { slot: 0, key_id: '01HZX3V5K8Q2M4N6P7R9S0T1V2', revoked: false },
      { slot: 1, public_key_pem: values['keys.1.public_key_pem'], revoked: true },
    ],
    fuse_config: {
      words: [written],
      close_step: { word: written, confirm: 'Gateway boot', samples_tested: true },
      debug_lock: 'closed',
    },
  })
  expect(errorsOf(values)).toEqual([])
})

it('each wrong control is named', () => {
  const wrong = (values: Record<string, string>) => errorsOf(values).map(([field]) => field)
  expect(wrong({ name: '' })).toEqual(['name'])
  expect(wrong({ platform: '' })).toEqual(['platform'])
  expect(wrong({ version: 'x' })).toEqual(['version'])
  expect(wrong({ hardware_models: ' , ' })).toEqual(['hardware_models'])
  expect(wrong({ key_hash: 'abc' })).toEqual(['key_hash'])
  expect(wrong(word('fuse_config.words.0', { bank: '256' }))).toEqual(['fuse_config.words.0.bank'])
  expect(wrong(word('fuse_config.words.0', { word: '' }))).toEqual(['fuse_config.words.0.word'])
  expect(wrong(word('fuse_config.words.0', { value_hex: '123456789' }))).toContain('fuse_config.words.0.value_hex')
  expect(wrong(word('fuse_config.words.0', { mask_hex: '1' }))).toEqual(['fuse_config.words.0'])
  expect(wrong({ 'keys.0.slot': '16', 'keys.0.key_id': '01HZX3V5K8Q2M4N6P7R9S0T1V2' })).toEqual(['keys.0.slot'])
})

it('a part is closed only after its name was typed and samples were tested', () => {
  const closing = { close: 'on', 'fuse_config.close_step.confirm': 'Gateway' }
  expect(errorsOf({ ...closing, 'fuse_config.close_step.samples_tested': 'on' })).toEqual([
    ['fuse_config.close_step.confirm', 'Type the name of the bundle to confirm the step that closes the part'],
  ])
  expect(errorsOf({ ...closing, 'fuse_config.close_step.confirm': 'Gateway boot' })).toEqual([
    ['fuse_config.close_step.samples_tested', 'Test samples before you plan to close the part'],
  ])
})
