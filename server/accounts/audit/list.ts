import type { AuditChain, projectAuditLog } from '../../../contract/audit'
import { genesis } from '../../../contract/audit-verification'
import type { AnswerOf, QueryOf } from '../../../contract/endpoint'
import { exactTotal } from '../../../contract/limits'
import { findAnchors } from '../../core/audit/anchor'
import { type ChainCheck, verify, WALKED_AT_ONCE } from '../../core/audit/chain'
import { auditEntryToJson, type AuditRow } from '../../core/audit/to-json'
import type { Tx } from '../../core/database/tx'
import { limitTotal } from '../../core/http/paging'
import { formatTimestamp } from '../../core/timestamps'
import { type ChainRow, findChain } from './chains.repository'
import { type Comparison, compare } from './compare'
import { countEntries, findFirstSequence, listEntries, listNewestFacts, type LogKey } from './repository'

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

type Recent = AnswerOf<typeof projectAuditLog>['recent']

// Values for filter menus are read from the newest entries only: counting the log of years would take too long.
const listRecent = (facts: readonly Pick<AuditRow, 'action' | 'actor'>[]): Recent => {
  const actions = new Map<string, Recent['actions'][number]>()
  const actors = new Map<string, Recent['actors'][number]>()
  for (const { action, actor } of facts) {
    const seen = actions.get(action) ?? { action, count: 0 }
    actions.set(action, { ...seen, count: seen.count + 1 })
    if (actor.id === null) continue
    const { id, kind, name } = actor
    // The newest name of an actor who has had several.
    const who = actors.get(id) ?? { id, kind, name, count: 0 }
    actors.set(id, { ...who, count: who.count + 1 })
  }
  const most = (a: { count: number }, b: { count: number }) => b.count - a.count
  return { actions: [...actions.values()].toSorted(most), actors: [...actors.values()].toSorted(most).slice(0, 50) }
}

const isFiltered = ({ limit: _limit, sort: _sort, ...filters }: QueryOf<typeof projectAuditLog>) =>
  Object.values(filters).some((value) => value !== undefined && value !== '')

/** What only the first page has: it is of the whole log. The newest entries also give the total of a log that is not filtered. */
const describeLog = async (tx: Tx, log: LogKey, query: QueryOf<typeof projectAuditLog>) => {
  if (query.cursor !== undefined) return { total: null, recent: { actions: [], actors: [] } }
  const facts = await listNewestFacts(tx, log, exactTotal + 1)
  const total = isFiltered(query) ? await countEntries(tx, log, query) : facts.length
  return { total: limitTotal(total), recent: listRecent(facts.slice(0, exactTotal)) }
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
