import { sha256, toBase64 } from '../../../contract/device/bytes'
import { preAuthentication } from '../../../contract/device/dsse'
import { keyListPayloadType } from '../../../contract/device/key-list'
import * as contract from '../../../contract/fleet/key-lists'
import { retireSigningKey } from '../../../contract/fleet/keys'
import type { ToSign } from '../../../contract/fleet/keys'
import type { Api } from '../../core/http/api'
import { toAuthor } from '../../core/http/author'
import type { Tx } from '../../core/database/tx'
import { notFound, refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { keyTarget } from '../keys/audit-target'
import { readSigningKey } from '../keys/read'
import { countKeySets, type KeyRow, listDevicesWithKeys, listKeysOfProject, updateKey } from '../keys/repository'
import { isLastSigner, nextKeyList } from './next'
import { publish } from './publish'
import { countStranded, reachOf } from './reach'
import {
  countHolders,
  findHighestCounter,
  findNewestKeyList,
  type KeyListRow,
  listDevicesAhead,
  listKeyLists,
  listNonHolders,
  lockKeysOfProject,
} from './repository'

const namesOf = (rows: readonly KeyRow[]) => {
  const names = new Map(rows.map(({ fingerprint, name }) => [fingerprint, name]))
  return (fingerprint: string) => ({ fingerprint, name: names.get(fingerprint) ?? null })
}

const keyListToJson = (row: KeyListRow, named: ReturnType<typeof namesOf>) => ({
  counter: row.counter,
  created_at: formatTimestamp(row.createdAt),
  created_by: row.createdBy,
  signed_by: named(row.signedBy),
  keys: row.fingerprints.map(named),
})

const toSign = async (payload: Uint8Array<ArrayBuffer>): Promise<ToSign> => {
  const bytes = preAuthentication(keyListPayloadType, payload)
  const base64 = toBase64(payload)
  return {
    manifest_sha256: await sha256(payload),
    payload_type: keyListPayloadType,
    payload_base64: base64,
    to_sign_base64: toBase64(bytes),
    pae_sha256: await sha256(bytes),
    command: `printf %s '${base64}' | base64 -d | node teasel.mjs keys sign --key release.key.pem --key-list -`,
  }
}

type Seen = { id: string; name: string; lastSeenAt: Date | null }
const seenToJson = <T extends Seen>({ lastSeenAt, ...device }: T) => ({
  ...device,
  last_seen_at: formatTimestampOrNull(lastSeenAt),
})

/** Which devices take the next list, by the key that signs it. */
const readReach = async (tx: Tx, projectId: string, signers: readonly KeyRow[]) => {
  const [sets, lists] = [await countKeySets(tx, projectId), await listKeyLists(tx, projectId)]
  const fingerprints = signers.map(({ fingerprint }) => fingerprint)
  const reach = []
  for (const [at, { devices, leftBehind }] of reachOf(sets, lists, fingerprints).entries()) {
    const named =
      leftBehind.length === 0
        ? []
        : await listDevicesWithKeys(
            tx,
            projectId,
            leftBehind.map(({ keys }) => keys),
            {},
          )
    const count = leftBehind.reduce((sum, { n }) => sum + n, 0)
    reach.push({ key_id: signers[at]?.id ?? '', devices, left_behind: { count, devices: named.map(seenToJson) } })
  }
  return { reach, stranded: countStranded(sets, lists, fingerprints) }
}

/** The keys that devices are to trust: signed lists, published one after the other. */
export const keyListRoutes = (api: Api): void => {
  route(api, contract.keyRotation, async ({ tx, project }) => {
    const rows = await listKeysOfProject(tx, project.id)
    const named = namesOf(rows)
    const newest = await findNewestKeyList(tx, project.id)
    const highest = await findHighestCounter(tx, project.id, newest)
    const next = await nextKeyList({ projectId: project.id, rows, newest, highest })
    const missing = newest ? await listNonHolders(tx, newest) : []
    const held = newest?.fingerprints ?? []
    const wanted = next.keys.map(({ fingerprint }) => fingerprint)
    return {
      newest: newest ? keyListToJson(newest, named) : null,
      coverage: {
        ...(await countHolders(tx, project.id, newest)),
        ahead: await listDevicesAhead(tx, project.id, newest?.counter ?? 0),
        missing: missing.map(seenToJson),
      },
      next: {
        counter: next.counter,
        added: wanted.filter((one) => !held.includes(one)).map(named),
        removed: held.filter((one) => !wanted.includes(one)).map(named),
        signers: next.signers.map(({ id }) => id),
        ...(await readReach(tx, project.id, next.signers)),
        problem: next.problem,
        to_sign: next.payload ? await toSign(next.payload) : null,
      },
    }
  })

  route(api, contract.publishKeyList, async ({ tx, project, body, user, now, audit }) => {
    const given = { payload: body.payload_base64, keyId: body.key_id, signature: body.signature_base64 }
    const { row, before, rows } = await publish(tx, { projectId: project.id, ...given, author: toAuthor(user), now })
    const named = namesOf(rows)
    const listed = (fingerprints: readonly string[]) => fingerprints.map((one) => named(one).name ?? one).join(', ')
    audit({
      target: { kind: 'key_list', id: row.id, name: `Key list ${row.counter}` },
      changes: [{ field: 'keys', before: before ? listed(before.fingerprints) : null, after: listed(row.fingerprints) }],
    })
    return keyListToJson(row, named)
  })

  // Here and not with the other endpoints for keys, because the key lists decide about it.
  route(api, retireSigningKey, async ({ tx, project, params, now, audit }) => {
    // All of them: two last signers that are retired at the same time would both see the other one in force.
    const rows = await lockKeysOfProject(tx, project.id)
    const key = rows.find(({ id }) => id === params.signingKeyId) ?? notFound()
    if (key.state !== 'active' && key.state !== 'retiring') refuse(409, 'conflict', { about: { state: key.state } })
    const newest = await findNewestKeyList(tx, project.id)
    if (newest && isLastSigner(key.id, rows, newest))
      refuse(409, 'last_signer', {
        message: 'Only this key can sign the next key list. Publish a list that contains another key first',
      })
    await updateKey(tx, key.id, { state: 'retired' }, now)
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'retired' }] })
    return readSigningKey(tx, key.id)
  })
}
