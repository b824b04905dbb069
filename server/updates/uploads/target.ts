import type { AuditAction } from '../../../contract/core/audit-actions'
import type { ScopeSource } from '../../../contract/core/endpoint'
import type { Permission } from '../../../contract/core/permissions'
import type { RejectCode } from '../../../contract/updates/secure-boot/artifacts'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { ByteReader } from '../secure-boot/types'
import type { UploadMetadata } from './metadata'
import type { UploadRow } from './repository'

/** Why received bytes are refused. */
export type Wrong = { code: RejectCode; text: string }
export type Ended = { kind: string; id: string; name: string }
/** `head`: as many of the first bytes as the target asks for. */
export type Result = { sha256: string; head: Uint8Array; wrong: Wrong | null }
type Begun = { sha256: string | null; contentType: string }

/** What receives the bytes of an upload, by its purpose. */
export type UploadTarget = {
  scopeOf: (id: string) => { scope: ScopeSource; params: Record<string, string> }
  permission: Permission
  action: AuditAction
  /** Checks that it may receive these bytes now, and stores that it does. */
  begin: (tx: Tx, given: { size: number; metadata: UploadMetadata; now: Date }) => Promise<Begun>
  /** The bytes are stored under the id of the upload, or refused. Undefined if it was deleted meanwhile. */
  end: (tx: Tx, row: UploadRow, result: Result, now: Date) => Promise<Ended | undefined>
  /** So many of the first bytes `end` is given. */
  headBytes?: number
  cancel: (tx: Tx, id: string, now: Date) => Promise<void>
  /** Whether a new upload ends the open one of another person. */
  takesOver?: (tx: Tx, id: string) => Promise<boolean>
  /** Why the bytes must not be stored at all; they are deleted at once. */
  refuseBytes?: (bytes: ByteReader, deps: Pick<Deps, 'log'>) => Promise<Wrong | null>
  refusedAction?: AuditAction
}
