import canonicalize from 'canonicalize'
import type { Attributes } from '../../../contract/device/api'
import { sha256, utf8 } from '../../../contract/device/bytes'

/** Both sides hash the canonical form, so a check-in shows with 64 characters whether the attributes have changed. */
export const hashOfAttributes = (attributes: Attributes): Promise<string> => sha256(utf8(canonicalize(attributes) ?? ''))
