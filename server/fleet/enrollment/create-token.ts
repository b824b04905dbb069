import type { Infer } from 'superstruct'
import type { NewAuthority, NewEnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import { newRow } from '../../core/database/row'
import type { ProjectRead } from '../../core/http/scope'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'
import { readCertificateHash } from './certificate'
import { insertEnrollmentToken } from './repository'

/** Creates an enrollment token. Only this result contains its secret. A token for one device can be used once. */
export const createEnrollmentToken = async ({ tx, project, now }: ProjectRead, body: Infer<typeof NewEnrollmentToken>) => {
  const token = createToken(body.form === 'short' ? 'ens' : 'enr')
  const kind = body.kind ?? 'group'
  const row = {
    ...newRow(now),
    projectId: project.id,
    tokenHash: hashOf(token),
    prefix: prefixOf(token),
    authority: null,
    name: body.name,
    kind,
    hardwareModel: body.hardware_model ?? null,
    defaultTags: body.default_tags ?? [],
    maxUses: kind === 'single' ? 1 : (body.max_uses ?? null),
    uses: 0,
    expiresAt: body.expires_at ? new Date(body.expires_at) : null,
    autoAccept: body.auto_accept ?? project.settings.auto_accept_devices,
    revokedAt: null,
  }
  await insertEnrollmentToken(tx, row)
  return { row, token }
}

/** Lists an authority of client certificates: like a token for a group, which nobody has. */
export const createAuthority = async (
  { tx, project, now }: ProjectRead,
  { name, certificate_pem, hardware_model, default_tags = [], auto_accept }: Infer<typeof NewAuthority>,
) => {
  const authority = readCertificateHash(certificate_pem, now)
  const row = {
    ...newRow(now),
    projectId: project.id,
    tokenHash: hashOf(createToken('enr')),
    prefix: authority.slice(0, 8),
    authority,
    name,
    kind: 'group' as const,
    hardwareModel: hardware_model,
    defaultTags: default_tags,
    maxUses: null,
    uses: 0,
    expiresAt: null,
    autoAccept: auto_accept ?? project.settings.auto_accept_devices,
    revokedAt: null,
  }
  await insertEnrollmentToken(tx, row)
  return row
}
