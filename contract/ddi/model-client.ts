import { array, enums, type Infer, integer, string, type } from 'superstruct'
import { product } from '../core/limits'

/** What runs on the devices of a model: our own agent, or an unmodified hawkBit client. */
export const clientKinds = [product.slug, 'swupdate', 'rauc', 'zephyr', 'other'] as const
export type ClientKind = (typeof clientKinds)[number]
/** What confirms an update: the reported version, or the client's word alone. */
export const confirmations = ['version', 'client'] as const

/** The kinds whose word may count: the others report success before they restart. */
export const kindsConfirmedByClient: readonly ClientKind[] = ['swupdate', 'other']

export const ModelClient = type({
  kind: enums(clientKinds),
  confirm_by: enums(confirmations),
  /** The attribute that names the installed version. */
  version_attribute: string(),
  /** So long may a device take to confirm an update after its restart or its report of success. */
  confirm_within_s: integer(),
  /** The reported board names that fit; none: the id of the model. A device that reports no board fits. */
  boards: array(string()),
})
export type ModelClient = Infer<typeof ModelClient>

export const standardClient: ModelClient = {
  kind: product.slug,
  confirm_by: 'version',
  version_attribute: 'sw_version',
  confirm_within_s: 3600,
  boards: [],
}

/** The attribute in which clients of hawkBit name their board. */
export const boardAttribute = 'hw_boardname'
