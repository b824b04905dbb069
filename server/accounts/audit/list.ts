import type { AuditChain, projectAuditLog } from '../../../contract/accounts/audit'
import { genesis } from '../../../contract/accounts/audit-verification'
import type { QueryOf } from '../../../contract/core/endpoint'
import { findAnchors } from '../../core/audit/anchor'
import { type ChainCheck, verify, WALKED_AT_ONCE } from '../../core/audit/chain'
import { auditEntryToJson } from '../../core/audit/to-json'
import type { Tx } from '../../core/database/tx'
import { limitTotal } from '../../core/http/paging'
import { formatTimestamp } from '../../core/timestamps'
import { type ChainRow, findChain } from './chains.repository'
import { type Comparison, compare } from './compare'
import { findCount, listCounts } from './counts.repository'
import { countEntries, findFirstSequence, listEntries, type LogKey } from './repository'

const stampText = (text: string | undefined): string | null => (text === undefined ? null : formatTimestamp(new Date(text)))

const anchorToJson = ({ anchor, mismatch }: Comparison): AuditChain['anchor'] => ({
  state: mismatch !== null ? 'mismatch' : anchor ? 'match' : 'none',
  mismatch,
  sequence: anchor?.sequence ?? null,
  anchored_at: stampText(anchor?.at),
  restored_at: stampText(anchor?.restored?.at),
  restored_from: anchor?.restored?.sequence ?? null,
})

/** Walks a short chain completely, a long one from the end of the last complete walk; undefined if there was none. */
const findVerdict = async (tx: Tx, chain: ChainRow, { anchor, mismatch }: Comparison): Promise<ChainCheck | undefined> => {
  if (chain.sequence - chain.checkpointSequence <= WALKED_AT_ONCE) return verify(tx, chain.id)
  if (!anchor || mismatch !== null || anchor.walked_at === null) return undefined
  if (anchor.first_bad !== null) return { whole: false, firstBad: anchor.first_bad }
  if (anchor.sequence < chain.checkpointSequence || chain.sequence - anchor.sequence > WALKED_AT_ONCE) return undefined
  return verify(tx, chain.id, anchor)
}

const getChainState = async (tx: Tx, id: string, dataDirectory: string): Promise<AuditChain> => {
  const anchors = await findAnchors(dataDirectory)
  const comparison: Comparison = anchors ? await compare(tx, id, anchors) : { anchor: undefined, mismatch: null, firstBad: null }
  const chain = await findChain(tx, id)
  const first = await findFirstSequence(tx, id)
  const verdict = chain ? await findVerdict(tx, chain, comparison) : ({ whole: true, head: 0 } as const)
  const firstBad = verdict?.whole === false ? verdict.firstBad : comparison.firstBad
  const isWrong = verdict?.whole === false || comparison.mismatch !== null
  return {
    head_sequence: chain?.sequence ?? 0,
    head_hash: chain?.hash ?? genesis,
    verified: isWrong ? 'no' : verdict === undefined ? 'unknown' : 'yes',
    first_sequence: first,
    first_bad: firstBad,
    anchor: anchorToJson(comparison),
  }
}

/** Devices are actors too: a menu of all of them would be of no use. */
const mostActors = 50

/** The fields of entries by which a filter's entries are counted already. */
const counted = { action: 'action', actor_id: 'actor', target_kind: 'kind', result: 'result' } as const

const isCounted = (name: string): name is keyof typeof counted => name in counted

/** The entries of a filter. Those of none or of one value are counted already, others up to one more than a total is exact. */
const countOf = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>): Promise<number> => {
  const { limit: _limit, sort: _sort, ...filters } = query
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  const [first] = given
  if (!first) return (await listCounts(tx, log, 'result')).reduce((sum, { count }) => sum + count, 0)
  const [name, value] = first
  return given.length === 1 && isCounted(name) ? findCount(tx, log, counted[name], value) : countEntries(tx, log, query)
}

/** What only the first page has: it is of the whole log. */
const describeLog = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>) => {
  if (query.cursor !== undefined) return { total: null, recent: { actions: [], actors: [] } }
  const actions = await listCounts(tx, log, 'action')
  const actors = await listCounts(tx, log, 'actor', mostActors)
  return {
    total: limitTotal(await countOf(tx, log, query)),
    recent: {
      actions: actions.map(({ value, count }) => ({ action: value, count })),
      actors: actors.map(({ value, count, kind, name }) => ({ id: value, kind: kind ?? '', name, count })),
    },
  }
}

/** A page of a log, newest first, with the state of its chain. */
export const readLog = async (tx: Tx, log: LogKey, dataDirectory: string, query: QueryOf<typeof projectAuditLog>) => {
  const { rows, next_cursor } = await listEntries(tx, log, query)
  return {
    entries: rows.map(auditEntryToJson),
    next_cursor,
    ...(await describeLog(tx, log, query)),
    chain: await getChainState(tx, log.chainId, dataDirectory),
  }
}
