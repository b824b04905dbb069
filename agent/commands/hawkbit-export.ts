import { array, integer, is, nullable, optional, string, type Struct, type } from 'superstruct'
import type { ImportRow } from '../../contract/fleet/device-imports'
import { exitCodes } from '../core/exit-codes'
import { writeAtomically } from '../core/files'

const say = (text: string) => void process.stderr.write(`${text}\n`)

const pageSize = 500
/** Attributes are one request for each target. */
const atOnce = 8
const timeoutMs = 30_000

const Target = type({ controllerId: string(), name: optional(nullable(string())), securityToken: optional(nullable(string())) })
const Tag = type({ id: integer(), name: string() })
const pageOf = <T, S>(item: Struct<T, S>) => type({ content: array(item), total: integer() })
const Attributes = type({})

type HawkbitExport = { server: string; user: string; password: string; out: string; model?: string; attributes: boolean }

/** A failure with a message that says what to do. */
class Failed extends Error {}

const hints: Readonly<Record<number, string>> = {
  401: 'the server refuses the user name or the password; with more than one tenant, the user is TENANT\\USER',
  403: 'the user needs the permission READ_TARGET',
  404: 'there is no Management API at this address',
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message
}

const connect = ({ server, user, password }: HawkbitExport) => {
  const base = server.replace(/\/+$/, '')
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const get = async <T, S>(path: string, answer: Struct<T, S>): Promise<T> => {
    const url = `${base}/rest/v1${path}`
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { headers: { authorization, accept: 'application/json' }, signal }).catch(
      (error: unknown) => {
        throw new Failed(`${url}: ${causeOf(error)}`)
      },
    )
    if (!response.ok) throw new Failed(`${url}: ${response.status}${hints[response.status] ? `, ${hints[response.status]}` : ''}`)
    const body: unknown = await response.json().catch(() => undefined)
    if (!is(body, answer)) throw new Failed(`${url}: this is not an answer of hawkBit's Management API`)
    return body
  }
  /** All pages of a list. It ends at an empty page too: targets may be deleted meanwhile. */
  const list = async <T, S>(path: string, item: Struct<T, S>, onPage: (read: number, total: number) => void = () => {}) => {
    const found: T[] = []
    for (;;) {
      const { content, total } = await get(`${path}?offset=${found.length}&limit=${pageSize}`, pageOf(item))
      found.push(...content)
      onPage(found.length, total)
      if (content.length === 0 || found.length >= total) return found
    }
  }
  return { get, list }
}
type Connection = ReturnType<typeof connect>

/** Names of tags as the import accepts them. */
const toTagName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^(sys\.|[^a-z0-9])+/, '')
    .slice(0, 63)

/** The tags of each target. */
const readTags = async ({ list }: Connection): Promise<Map<string, Set<string>>> => {
  const tags = new Map<string, Set<string>>()
  for (const { id, name } of await list('/targettags', Tag)) {
    const tag = toTagName(name)
    if (tag === '') continue
    for (const { controllerId } of await list(`/targettags/${id}/assigned`, type({ controllerId: string() })))
      tags.set(controllerId, (tags.get(controllerId) ?? new Set()).add(tag))
  }
  return tags
}

/** The attributes of all targets, some at a time. */
const readAttributes = async ({ get }: Connection, ids: readonly string[]): Promise<Map<string, object>> => {
  const found = new Map<string, object>()
  const left = [...ids]
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      found.set(id, await get(`/targets/${encodeURIComponent(id)}/attributes`, Attributes))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found
}

const readRows = async (connection: Connection, { model, attributes }: HawkbitExport): Promise<ImportRow[]> => {
  const targets = await connection.list('/targets', Target, (read, total) => say(`Read ${read} of ${total} targets`))
  if (targets.length > 0 && !targets.some(({ securityToken }) => securityToken))
    throw new Failed(
      'The server sends no security tokens: the user needs the permission READ_TARGET_SECURITY_TOKEN. Nothing was written',
    )
  const tags = await readTags(connection)
  // A target that was created or deleted meanwhile moves the pages: some are read twice.
  const unique = new Map(targets.map((target) => [target.controllerId, target]))
  const facts = attributes ? await readAttributes(connection, [...unique.keys()]) : new Map<string, object>()
  return [...unique.values()].map(({ controllerId, name, securityToken }) => {
    const own = facts.get(controllerId)
    return {
      controller_id: controllerId,
      ...(name && name !== controllerId && { name }),
      ...(securityToken && { security_token: securityToken }),
      ...(model !== undefined && { hardware_model: model }),
      ...(tags.has(controllerId) && { tags: [...(tags.get(controllerId) ?? [])] }),
      ...(own && Object.keys(own).length > 0 && { attributes: { ...own } }),
    }
  })
}

/** `teasel-agent hawkbit-export`: writes the targets of a hawkBit server with their tokens as lines for the import of devices. */
export const hawkbitExport = async (given: HawkbitExport): Promise<number> => {
  try {
    const rows = await readRows(connect(given), given)
    writeAtomically(given.out, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 0o600)
    const tags = [...new Set(rows.flatMap((row) => row.tags ?? []))].toSorted()
    const tokenless = rows.filter((row) => row.security_token === undefined).length
    say(
      `Wrote ${rows.length === 1 ? '1 device' : `${rows.length} devices`} to ${given.out}. It contains tokens: delete it after the import`,
    )
    if (tokenless > 0) say(`${tokenless} of them have no token`)
    if (tags.length > 0) say(`Tags to create in the project before the import: ${tags.join(', ')}`)
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    say(error.message)
    return exitCodes.error
  }
}
