import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { array, boolean, create, type Infer, literal, nullable, number, string, type } from 'superstruct'

const File = type({ path: string(), size: number(), sha256: string() })

export const Manifest = type({
  format: literal(1),
  taken_at: string(),
  postgres: string(),
  /** Fingerprint of the installation's secret key; null if it has none. */
  secret_key: nullable(string()),
  migrations: array(type({ when: number(), hash: string() })),
  tables: array(type({ name: string(), columns: array(string()), rows: number() })),
  partitions: array(type({ parent: string(), name: string(), bound: string() })),
  sequences: array(type({ name: string(), last: string(), called: boolean() })),
  files: array(File),
})
export type Manifest = Infer<typeof Manifest>
export type BackupFile = Infer<typeof File>

const NAME = 'manifest.json'

const checksum = (text: string) => createHash('sha256').update(text).digest('hex')

/** Identifies a secret key without revealing it. */
export const fingerprintOf = (secretKey: string | undefined): string | null =>
  secretKey === undefined ? null : checksum(`backup of an installation with the key ${secretKey}`)

/** Written last: a backup without it is incomplete. */
export const writeManifest = async (directory: string, manifest: Manifest): Promise<void> => {
  const text = JSON.stringify(manifest, null, 1)
  await writeFile(join(directory, NAME), `${checksum(text)}\n${text}\n`, { mode: 0o600, flush: true })
}

export const readManifest = async (directory: string): Promise<Manifest> => {
  const text = await readFile(join(directory, NAME), 'utf8').catch(() => {
    throw new Error(`${directory} is not a complete backup: it has no ${NAME}.`)
  })
  const end = text.indexOf('\n')
  const body = text.slice(end + 1).trimEnd()
  if (text.slice(0, end) !== checksum(body)) throw new Error(`${join(directory, NAME)} was changed or is incomplete.`)
  return create(JSON.parse(body), Manifest)
}
