import { type Command, Option } from 'commander'
import { type KeyAlgorithm, keyAlgorithms } from '../../contract/device/public-key'
import { showAs } from '../core/context'
import { offline } from '../core/command'
import { Usage } from '../core/errors'
import { type ExitCode, exitCodes } from '../core/exit-codes'
import { note } from '../core/print'
import type { KeyAnswer } from '../keys/answer'
import { signFile, verifyFile } from '../keys/files'
import { generateKeys } from '../keys/generate'
import { signKeyList, signManifest } from '../keys/sign'
import { verifyEnvelope } from '../keys/verify'

const answer = ({ ending, printed, notes, data }: KeyAnswer, json: boolean | undefined): ExitCode => {
  if (json) showAs(true)(ending === 'done' ? data : { error: { code: ending, ...data } }, () => '')
  else process.stdout.write(printed)
  for (const text of notes) note(text)
  return ending === 'done' ? exitCodes.done : exitCodes.failed
}

const exactlyOne = (options: Readonly<Record<string, string | undefined>>): void => {
  const names = Object.keys(options)
  if (names.filter((name) => options[name] !== undefined).length !== 1) throw new Usage(`Give one of --${names.join(', --')}`)
}

const generate = (parent: Command) => {
  const command = parent
    .command('generate')
    .description('create a key pair: NAME.key.pem, readable by its owner only, and NAME.pub.pem')
    .requiredOption('--out <folder>', 'folder of the two files')
    .option('--name <name>', 'name of the files', 'release')
    .addOption(new Option('--algorithm <algorithm>').choices(keyAlgorithms).default('ed25519'))
  offline<{ out: string; name: string; algorithm: KeyAlgorithm }>(command, async ({ out, name, algorithm, json }) =>
    answer(await generateKeys(out, name, algorithm), json),
  )
}

type SignOptions = { key: string; out?: string; manifest?: string; keyList?: string; file?: string; envelope?: boolean }

const sign = (parent: Command) => {
  const command = parent
    .command('sign')
    .description('sign a manifest, a key list or a file, and print the signature in base 64')
    .requiredOption('--key <key.pem>', 'private key')
    .option('--manifest <file>', 'manifest of a release; - for standard input')
    .option('--key-list <file>', 'key list, by which devices replace the keys that they trust; - for standard input')
    .option('--file <file>', 'any file, with an Ed25519 key; needs --out')
    .option('--out <file>', 'write the signature there')
    .option('--envelope', 'with --manifest: write the whole envelope (DSSE) that devices accept')
  offline<SignOptions>(command, async ({ key, out, manifest, keyList, file, envelope, json }) => {
    exactlyOne({ manifest, 'key-list': keyList, file })
    if (manifest !== undefined) return answer(await signManifest(manifest, { key, out }, envelope === true), json)
    if (envelope) throw new Usage('--envelope is an option of --manifest')
    if (keyList !== undefined) return answer(await signKeyList(keyList, { key, out }), json)
    if (out === undefined) throw new Usage('--file needs --out')
    return answer(signFile(file ?? '', { key, out }), json)
  })
}

type VerifyOptions = { publicKey: string; envelope?: string; file?: string; signature?: string }

const verify = (parent: Command) => {
  const command = parent
    .command('verify')
    .description('verify an envelope and print its manifest, or a file with its signature')
    .requiredOption('--public-key <key.pem>', 'public key')
    .option('--envelope <file>', 'envelope (DSSE) of a release; - for standard input')
    .option('--file <file>', 'any file; needs --signature')
    .option('--signature <file>', 'the 64 bytes of its signature')
  offline<VerifyOptions>(command, async ({ publicKey, envelope, file, signature, json }) => {
    exactlyOne({ envelope, file })
    if (envelope !== undefined) return answer(await verifyEnvelope(envelope, publicKey), json)
    if (signature === undefined) throw new Usage('--file needs --signature')
    return answer(verifyFile(file ?? '', { publicKey, signature }), json)
  })
}

export const keyCommands = (program: Command): void => {
  const parent = program.command('keys').description('key pairs and signatures, made on this machine')
  for (const add of [generate, sign, verify]) add(parent)
}
