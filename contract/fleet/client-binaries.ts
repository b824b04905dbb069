import { array, enums, type Infer, integer, nullable, string, type } from 'superstruct'
import { publicAccess, endpoint, session } from '../core/endpoint'
import { pattern } from '../core/rules'
import { Sha256, Timestamp } from '../core/shapes'

export const systems = ['linux', 'macos', 'windows'] as const
export type System = (typeof systems)[number]

export const ClientPlatform = type({
  os: enums(systems),
  arch: enums(['x86_64', 'aarch64', 'armv7']),
  /** `tested` with every build; `expected` to work too; `commands` only the program's commands, no updates. */
  support: enums(['tested', 'expected', 'commands']),
  notes: string(),
})
export type ClientPlatform = Infer<typeof ClientPlatform>

/** Detached Ed25519 signature of the file's bytes. */
export const ClientSignature = type({
  algorithm: enums(['ed25519']),
  /** Signed by the publisher of the file, or only by the installation that serves it. */
  signer: enums(['publisher', 'installation']),
  /** SubjectPublicKeyInfo (DER) in base 64, and the SHA-256 of it. */
  public_key: string(),
  fingerprint: Sha256,
  /** The 64 bytes in base 64; `url` serves the same bytes as a file. */
  value: pattern('signature', /^[A-Za-z0-9+/]{86}==$/, 'The signature must be 64 bytes in base 64'),
  url: string(),
})
export type ClientSignature = Infer<typeof ClientSignature>

export const ClientBinary = type({
  name: string(),
  file_name: string(),
  /** The agent of devices, or the command line for people and pipelines. */
  kind: enums(['device_client', 'cli']),
  version: string(),
  /** What must be installed on the machine first. */
  runtime: string(),
  size: integer(),
  sha256: Sha256,
  /** Null if it is not signed. */
  signature: nullable(ClientSignature),
  url: string(),
  /** When this build was made. */
  released_at: Timestamp,
  platforms: array(ClientPlatform),
})
export type ClientBinary = Infer<typeof ClientBinary>

export const clientBinaries = endpoint({
  method: 'GET',
  path: '/client_binaries',
  summary: 'List the client programs that this installation provides.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ client_binaries: array(ClientBinary) }),
})
export const downloadClientBinary = endpoint({
  method: 'GET',
  path: '/client_binaries/:fileName',
  summary: 'Download a client program or its signature. Needs no session.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})
