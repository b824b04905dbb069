import { parseArgs } from 'node:util'
import { keyAlgorithms } from '../contract/device/public-key'
import { signFile, verifyFile } from '../cli/keys/files'
import { generateKeys } from '../cli/keys/generate'
import { signKeyList, signManifest } from '../cli/keys/sign'
import { verifyEnvelope } from '../cli/keys/verify'
import { hawkbitExport } from './commands/hawkbit-export'
import { help } from './commands/help'
import { answerKeys } from './commands/keys'
import { run } from './commands/run'
import { exitCodes } from './core/exit-codes'
import { quietWarnings } from './core/warnings'
import { client } from './core/version'

class Usage extends Error {}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = {
  config: text,
  once: flag,
  out: text,
  name: text,
  algorithm: text,
  key: text,
  manifest: text,
  'key-list': text,
  file: text,
  signature: text,
  envelope: { type: 'string' },
  'public-key': text,
  server: text,
  user: text,
  model: text,
  attributes: flag,
  help: flag,
  version: flag,
} as const

const needed = (value: string | undefined, name: string): string => {
  if (value === undefined || value === '') throw new Usage(`--${name} is required`)
  return value
}
const neededOrigin = (value: string | undefined): string => {
  const server = needed(value, 'server')
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    throw new Usage('--server is an address such as https://hawkbit.example.com')
  return server
}
/** Not an option: others on the machine can read those. */
const neededPassword = (): string => {
  const password = process.env['HAWKBIT_PASSWORD']
  if (password === undefined || password === '') throw new Usage('The environment variable HAWKBIT_PASSWORD is required')
  return password
}
const only = (given: object, ...allowed: string[]) => {
  const extra = Object.keys(given).find((name) => !allowed.includes(name))
  if (extra !== undefined) throw new Usage(`--${extra} is not an option of this command`)
}

/** `--envelope` is a flag of `sign` and a file of `verify`. */
const optionsOf = (command: string | undefined) => (command === 'sign' ? { ...options, envelope: flag } : options)

const main = async (given: string[]): Promise<number> => {
  const command = given[0]?.startsWith('-') ? undefined : given[0]
  const { values } = parseArgs({
    args: command === undefined ? given : given.slice(1),
    options: optionsOf(command),
    strict: true,
  })
  if (values.help) return print(help)
  if (values.version) return print(`${client.name} ${client.version}\n`)
  switch (command) {
    case undefined:
      only(values, 'config', 'once')
      return run(needed(values.config, 'config'), values.once ?? false)
    case 'keygen': {
      only(values, 'out', 'name', 'algorithm')
      const algorithm = keyAlgorithms.find((name) => name === (values.algorithm ?? 'ed25519'))
      if (!algorithm) throw new Usage(`--algorithm is ${keyAlgorithms.join(' or ')}`)
      return answerKeys(await generateKeys(needed(values.out, 'out'), values.name ?? 'release', algorithm))
    }
    case 'sign': {
      const key = needed(values.key, 'key')
      const out = values.out
      if (values.file !== undefined) {
        only(values, 'key', 'file', 'out')
        return answerKeys(signFile(values.file, { key, out: needed(out, 'out') }))
      }
      if (values['key-list'] !== undefined) {
        only(values, 'key', 'key-list', 'out')
        return answerKeys(await signKeyList(values['key-list'], { key, out }))
      }
      only(values, 'key', 'manifest', 'out', 'envelope')
      return answerKeys(await signManifest(needed(values.manifest, 'manifest'), { key, out }, values.envelope === true))
    }
    case 'verify': {
      const publicKey = needed(values['public-key'], 'public-key')
      if (values.file !== undefined) {
        only(values, 'public-key', 'file', 'signature')
        return answerKeys(verifyFile(values.file, { publicKey, signature: needed(values.signature, 'signature') }))
      }
      only(values, 'public-key', 'envelope')
      return answerKeys(await verifyEnvelope(needed(String(values.envelope ?? ''), 'envelope'), publicKey))
    }
    case 'hawkbit-export':
      only(values, 'server', 'user', 'out', 'model', 'attributes')
      return hawkbitExport({
        server: neededOrigin(values.server),
        user: needed(values.user, 'user'),
        password: neededPassword(),
        out: needed(values.out, 'out'),
        ...(values.model !== undefined && { model: values.model }),
        attributes: values.attributes ?? false,
      })
    default:
      throw new Usage(`There is no command "${command}"`)
  }
}

const print = (what: string) => {
  process.stdout.write(what)
  return exitCodes.done
}

const isUsage = (error: unknown) =>
  error instanceof Usage || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

quietWarnings()
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`teasel-agent: ${message}\n${isUsage(error) ? 'Try teasel-agent --help\n' : ''}`)
  return isUsage(error) ? exitCodes.badConfiguration : exitCodes.error
})
// Lingering sockets must not keep the process alive.
process.exit()
