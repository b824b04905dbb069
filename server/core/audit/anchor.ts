import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'superstruct'
import { AuditAnchorRecord } from '../../../contract/accounts/audit'
import { signedAuditText } from '../../../contract/accounts/audit-verification'
import { type PublicKey, publicKeyFromSpki } from '../../../contract/device/public-key'

/**
 * The signed facts about one chain, kept outside the database. `head` is written after every entry up to it has been verified,
 * `restore` by the command that restored a backup: the chain may then be shorter than before.
 */
export type Anchor = Omit<AuditAnchorRecord, 'signature'>

/** Thrown when this installation did not write the last line of an anchor file. */
export class BadAnchor extends Error {
  override name = 'BadAnchor'
}

export type Anchors = {
  /** Verifies everything that this installation signs. */
  publicKey: PublicKey
  /** Ids of the chains that have an anchor. */
  list: () => Promise<string[]>
  /** The last anchor of a chain. Throws BadAnchor if its signature does not verify. */
  find: (chain: string) => Promise<Anchor | undefined>
  /** The same with its signature, for readers who verify it themselves. */
  findSigned: (chain: string) => Promise<AuditAnchorRecord | undefined>
  /** Appends an anchor; resolves once it is synced to disk. */
  write: (anchor: Anchor) => Promise<void>
  /** Signs the checkpoint that retention leaves after trimming a chain; base64. */
  signCheckpoint: (checkpoint: Checkpoint) => string
  isCheckpoint: (checkpoint: Checkpoint, signature: string | null) => boolean
  /** Signs the last line of an export; base64. */
  signExport: (end: object) => string
}
type Checkpoint = { chain: string; sequence: number; hash: string }

const KEY = 'key.pem'
const SUFFIX = '.jsonl'
// Holds many lines: a line has less than 1 KiB.
const TAIL_BYTES = 16_384

const folderOf = (dataDirectory: string) => join(dataDirectory, 'audit-heads')

const syncFolder = async (path: string) => {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

// Another process may create a key at the same moment: the first link wins, and every process reads the file that exists.
const makeKey = async (folder: string) => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, KEY)
  const part = `${path}.${process.pid}.part`
  await rm(part, { force: true })
  const file = await open(part, 'wx', 0o600)
  await file.writeFile(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await file.sync().finally(() => file.close())
  await link(part, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(part)
  await syncFolder(folder)
}

const readKey = (folder: string) =>
  readFile(join(folder, KEY), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const fileOf = (folder: string, chain: string) => {
  if (!/^[\w-]{1,64}$/.test(chain)) throw new Error(`an audit chain with an invalid id: ${chain}`)
  return join(folder, `${chain}${SUFFIX}`)
}

const readTail = async (path: string): Promise<string> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}

// Text after the last line feed was cut off by a crash (F-16). The next line therefore begins with a line feed.
const lastLine = (text: string) =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .findLast((line) => line !== '' && line.endsWith('}'))

const parseAnchor = (line: string, chain: string, key: KeyObject): AuditAnchorRecord => {
  try {
    const signed = create(JSON.parse(line), AuditAnchorRecord)
    const { signature, ...anchor } = signed
    if (anchor.chain === chain && verify(null, signedAuditText('head', anchor), key, Buffer.from(signature, 'base64')))
      return signed
  } catch {
    // A line that cannot be parsed is treated like a wrong signature.
  }
  throw new BadAnchor(`The last anchor of the audit log ${chain} has no signature of this installation.`)
}

const appendLine = async (path: string, line: string) => {
  const text = await readTail(path)
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return text === ''
}

/** The anchors of a data directory with its key. */
const withKey = async (folder: string, pem: string): Promise<Anchors> => {
  const privateKey = createPrivateKey(pem)
  const keyObject = createPublicKey(privateKey)
  const publicKey = await publicKeyFromSpki(keyObject.export({ type: 'spki', format: 'der' }))
  if (!publicKey) throw new Error(`${join(folder, KEY)} is not an Ed25519 key`)
  const signText = (...signed: Parameters<typeof signedAuditText>) =>
    sign(null, signedAuditText(...signed), privateKey).toString('base64')
  const findSigned = async (chain: string) => {
    const line = lastLine(await readTail(fileOf(folder, chain)))
    return line === undefined ? undefined : parseAnchor(line, chain, keyObject)
  }
  return {
    publicKey,
    list: async () =>
      (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length)),
    findSigned,
    find: async (chain) => {
      const signed = await findSigned(chain)
      if (!signed) return undefined
      const { signature: _, ...anchor } = signed
      return anchor
    },
    write: async (anchor) => {
      const line = JSON.stringify({ ...anchor, signature: signText('head', anchor) })
      const isNew = await appendLine(fileOf(folder, anchor.chain), line)
      if (isNew) await syncFolder(folder)
    },
    signCheckpoint: (checkpoint) => signText('checkpoint', checkpoint),
    isCheckpoint: (checkpoint, signature) =>
      signature !== null && verify(null, signedAuditText('checkpoint', checkpoint), keyObject, Buffer.from(signature, 'base64')),
    signExport: (end) => signText('export', end),
  }
}

const known = new Map<string, { pem: string; anchors: Anchors }>()

/** The anchors of a data directory; undefined before its first start. */
export const findAnchors = async (dataDirectory: string): Promise<Anchors | undefined> => {
  const folder = folderOf(dataDirectory)
  const pem = await readKey(folder)
  if (pem === undefined) return undefined
  const before = known.get(folder)
  if (before?.pem === pem) return before.anchors
  const anchors = await withKey(folder, pem)
  known.set(folder, { pem, anchors })
  return anchors
}

/** The anchors of a data directory; creates the key if there is none. */
export const openAnchors = async (dataDirectory: string): Promise<Anchors> => {
  const found = await findAnchors(dataDirectory)
  if (found) return found
  await makeKey(folderOf(dataDirectory))
  return openAnchors(dataDirectory)
}
