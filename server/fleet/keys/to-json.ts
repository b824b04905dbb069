import type { SigningKey } from '../../../contract/fleet/keys'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import type { KeyCoverage, KeyRow } from './repository'

export const signingKeyToJson = (row: KeyRow, coverage: KeyCoverage | undefined): SigningKey => ({
  ...entityToJson(row),
  name: row.name,
  algorithm: row.algorithm,
  public_key_pem: row.publicKeyPem,
  fingerprint: row.fingerprint,
  custody: row.custody,
  purpose: row.purpose,
  state: row.state,
  expires_at: formatTimestampOrNull(row.expiresAt),
  last_used_at: formatTimestampOrNull(row.lastUsedAt),
  is_known_test_key: row.isKnownTestKey,
  coverage: coverage ?? { trusting: 0, total: 0 },
})
