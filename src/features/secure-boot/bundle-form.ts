import { refine } from 'superstruct'
import { BundleChange, NewBundle, type SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { debugLocks, type FuseConfigChange, type FuseWord } from '../../../contract/updates/secure-boot/fuses'
import { textOf } from '../../lib/form-data'
import { readCommaList } from '../../lib/comma-list'

/** An empty control is missing, and other text that is no number stays wrong. */
const numberOf = (data: FormData, name: string) => {
  const text = textOf(data, name)
  return text === '' ? undefined : Number(text)
}
/** Hex as people copy it: with 0x, in capitals, in groups. */
export const plainHex = (text: string): string => text.toLowerCase().replace(/^0x/, '').replace(/[\s:]/g, '')

const wordAt = (data: FormData, at: string) => ({
  bank: numberOf(data, `${at}.bank`),
  word: numberOf(data, `${at}.word`),
  name: textOf(data, `${at}.name`),
  value_hex: plainHex(textOf(data, `${at}.value_hex`)),
  mask_hex: plainHex(textOf(data, `${at}.mask_hex`)),
  irreversible: data.has(`${at}.irreversible`),
  purpose: textOf(data, `${at}.purpose`),
})

const keyAt = (data: FormData, at: string) => {
  const id = textOf(data, `${at}.key_id`)
  return {
    slot: numberOf(data, `${at}.slot`),
    ...(id === '' ? { public_key_pem: textOf(data, `${at}.public_key_pem`) } : { key_id: id }),
    revoked: data.has(`${at}.revoked`),
  }
}

const rowsOf = <R>(data: FormData, at: string, first: string, read: (data: FormData, at: string) => R): R[] => {
  const rows: R[] = []
  while (data.has(`${at}.${rows.length}.${first}`)) rows.push(read(data, `${at}.${rows.length}`))
  return rows
}

const fusesAt = (data: FormData) => ({
  words: rowsOf(data, 'fuse_config.words', 'bank', wordAt),
  close_step: data.has('close')
    ? {
        word: data.has('fuse_config.close_step.word.bank') ? wordAt(data, 'fuse_config.close_step.word') : null,
        confirm: textOf(data, 'fuse_config.close_step.confirm'),
        samples_tested: data.has('fuse_config.close_step.samples_tested'),
      }
    : null,
  debug_lock: textOf(data, 'fuse_config.debug_lock') || debugLocks[0],
})

/** The values of the controls, as the contract's body of a change. */
export const readBundle = (data: FormData) => ({
  name: textOf(data, 'name'),
  version: numberOf(data, 'version'),
  hardware_models: readCommaList(textOf(data, 'hardware_models')),
  description: textOf(data, 'description'),
  rollback_version: numberOf(data, 'rollback_version'),
  keys: rowsOf(data, 'keys', 'slot', keyAt),
  key_hash: plainHex(textOf(data, 'key_hash')) || null,
  fuse_config: fusesAt(data),
})

export const readNewBundle = (data: FormData) => ({ ...readBundle(data), platform: textOf(data, 'platform') || undefined })

type Named = { name?: string | undefined; fuse_config?: FuseConfigChange | undefined }

const isConfirmed = ({ name, fuse_config: fuses }: Named) => !fuses?.close_step || fuses.close_step.confirm === name
const confirmation = (value: Named, context: { path: string[] }) =>
  isConfirmed(value) || {
    path: [...context.path, 'fuse_config', 'close_step', 'confirm'],
    message: 'Type the name of the bundle to confirm the step that closes the part',
  }

/** The server compares the typed name too; here its error is shown at the control. */
export const NewBundleForm = refine(NewBundle, 'confirm', confirmation)
export const BundleChangeForm = refine(BundleChange, 'confirm', confirmation)

/** A saved bundle in the form of the body. Its closing step was confirmed by its name. */
export const fieldsOf = (bundle: SecureBootBundle) => ({
  name: bundle.name,
  version: bundle.version,
  hardware_models: bundle.hardware_models,
  description: bundle.description,
  rollback_version: bundle.rollback_version,
  keys: bundle.keys.map(({ slot, key_id: id, public_key_pem, revoked }) => ({
    slot,
    ...(id === null ? { public_key_pem: public_key_pem.trim() } : { key_id: id }),
    revoked,
  })),
  key_hash: bundle.key_hash,
  fuse_config: {
    words: bundle.fuse_config.words.map(orderedWord),
    close_step: bundle.fuse_config.close_step && {
      word: bundle.fuse_config.close_step.word && orderedWord(bundle.fuse_config.close_step.word),
      confirm: bundle.name,
      samples_tested: true,
    },
    debug_lock: bundle.fuse_config.debug_lock,
  },
})

/** In the order of the controls: values are compared as JSON. */
const orderedWord = ({ bank, word, name, value_hex, mask_hex, irreversible, purpose }: FuseWord): FuseWord => ({
  bank,
  word,
  name,
  value_hex,
  mask_hex,
  irreversible,
  purpose,
})
