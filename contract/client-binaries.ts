import { array, enums, type Infer, integer, nullable, string, type } from 'superstruct'
import { publicAccess, endpoint, session } from './endpoint'
import { pattern } from './rules'
import { Sha256, Timestamp } from './shapes'

export const systems = ['linux', 'macos', 'windows'] as const
export type System = (typeof systems)[number]

export const ClientPlatform = type({
  os: enums(systems),
  arch: enums(['x86_64', 'aarch64', 'armv7']),
  /** `tested` with every build; `expected` to work as there; `commands` of the program only, no updates. */
  support: enums(['tested', 'expected', 'commands']),
  notes: string(),
})
export type ClientPlatform = Infer<typeof ClientPlatform>

/** Ed25519 over the bytes of the file, apart from it. */
export const ClientSignature = type({
  algorithm: enums(['ed25519']),
  /** Whoever released the file, or only the installation that hands it out. */
  signer: enums(['publisher', 'installation']),
  /** SubjectPublicKeyInfo (DER) in base 64, and the SHA-256 of it. */
  public_key: string(),
  fingerprint: Sha256,
  /** The 64 bytes in base 64; the same bytes as a file lie at `url`. */
  value: pattern('signature', /^[A-Za-z0-9+/]{86}==$/, 'The signature must be 64 bytes in base 64'),
  url: string(),
})
export type ClientSignature = Infer<typeof ClientSignature>

export const ClientBinary = type({
  name: string(),
  file_name: string(),
  kind: enums(['device_client']),
  version: string(),
  /** What has to be on the machine before. */
  runtime: string(),
  size: integer(),
  sha256: Sha256,
  /** Null where nobody has signed it. */
  signature: nullable(ClientSignature),
  url: string(),
  /** When this build of it was made. */
  released_at: Timestamp,
  platforms: array(ClientPlatform),
})
export type ClientBinary = Infer<typeof ClientBinary>

export const clientBinaries = endpoint({
  method: 'GET',
  path: '/client_binaries',
  summary: 'The programs for devices that this installation hands out.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ client_binaries: array(ClientBinary) }),
})
export const downloadClientBinary = endpoint({
  method: 'GET',
  path: '/client_binaries/:fileName',
  summary: 'A program or its signature as a file. Open to anyone: a machine that installs it has no session yet.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})
