import { array, boolean, enums, type Infer, integer, nullable, object, string, type } from 'superstruct'
import { endpoint, inProject, requires } from '../core/endpoint'
import { ToSign } from './keys'
import { pattern } from '../core/rules'
import { Author, Id, Sha256, Timestamp } from '../core/shapes'

/** A key of a list; the name is missing for a key that is not registered in the project. */
const ListedKey = type({ fingerprint: Sha256, name: nullable(string()) })

const KeyList = type({
  counter: integer(),
  created_at: Timestamp,
  created_by: Author,
  signed_by: ListedKey,
  keys: array(ListedKey),
})

/** Why no next list can be signed now. */
export const keyListProblems = ['no_key', 'too_many_keys', 'no_signer'] as const

/** The facts of a rotation: what devices hold, and what the next list would change. */
export const KeyRotation = type({
  newest: nullable(KeyList),
  /** Active devices that trust exactly the keys of the newest list. */
  coverage: type({
    total: integer(),
    trusting: integer(),
    /** The first `maxUncoveredDevices` others, by name. `follows`: the device trusts a key that signed a list above its own. */
    missing: array(type({ id: Id, name: string(), last_seen_at: nullable(Timestamp), follows: boolean() })),
    /** The first active devices, by name, that report a list above the newest: they do not take it. */
    ahead: array(type({ id: Id, name: string(), counter: integer() })),
  }),
  next: type({
    counter: integer(),
    added: array(ListedKey),
    removed: array(ListedKey),
    /** Keys that may sign it: in force now and, after the first list, in the newest one. */
    signers: array(Id),
    /** For each of them, the active devices that would take the list, and the first by name of those that another one reaches. */
    reach: array(
      type({
        key_id: Id,
        devices: integer(),
        left_behind: type({
          count: integer(),
          devices: array(type({ id: Id, name: string(), last_seen_at: nullable(Timestamp) })),
        }),
      }),
    ),
    /** Active devices that never take the newest list, and would take the next one by one of the signers. */
    stranded: integer(),
    problem: nullable(enums(keyListProblems)),
    to_sign: nullable(ToSign),
  }),
})
export type KeyRotation = Infer<typeof KeyRotation>

export const keyRotation = endpoint({
  method: 'GET',
  path: '/projects/:projectId/key_rotation',
  summary: 'Get the newest key list, the devices that do not hold it, and the next list to sign.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: KeyRotation,
})

const base64 = pattern('base64', /^[A-Za-z0-9+/]{16,262144}={0,2}$/, 'This must be base 64')

export const publishKeyList = endpoint({
  method: 'POST',
  path: '/projects/:projectId/key_lists',
  summary: 'Publish a signed key list, which devices take at their next check-in. 422 bad_signature says what is wrong with it.',
  needs: requires(inProject, 'project:manage_access'),
  tokens: false,
  audit: 'key.list_publish',
  rate: 'write',
  body: object({ payload_base64: base64, key_id: Id, signature_base64: base64 }),
  answer: KeyList,
  status: 201,
})
