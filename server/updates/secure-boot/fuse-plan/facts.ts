import type { Artifact } from '../../../../contract/updates/secure-boot/artifacts'
import type { BundleKey } from '../../../../contract/updates/secure-boot/bundles'
import type { FuseConfig } from '../../../../contract/updates/secure-boot/fuses'
import type { PlatformId } from '../../../../contract/updates/secure-boot/platforms'
import type { SecureBootReport } from '../../../../contract/device/secure-boot-report'

/** What a plan is made of. */
export type PlanBundle = {
  name: string
  version: number
  platform: PlatformId
  rollbackVersion: number
  keys: readonly Pick<BundleKey, 'slot' | 'fingerprint' | 'revoked' | 'is_known_test_key'>[]
  /** In hex. */
  keyHash: string | null
  fuseConfig: FuseConfig
}
export type PlanFile = Pick<Artifact, 'role' | 'file_name' | 'load_address'> & { sha256: string | null }

export type PlanTarget = { kind: 'blank' } | { kind: 'device'; name: string; report: SecureBootReport }

export type PlanOptions = {
  /** The highest rollback version of bundles in use for the models. */
  lowestRollbackVersion: number
  /** A person has typed `testKeyPhrase`. */
  acceptsTestKeys: boolean
}
