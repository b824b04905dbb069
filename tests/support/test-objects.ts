import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { ulid } from 'ulid'
import { deviceJobs } from '../../server/fleet/schema/device-jobs'
import { devices, deviceTokens, enrollmentTokens } from '../../server/fleet/schema/devices'
import { accessTokens } from '../../server/accounts/schema/access-tokens'
import { identities } from '../../server/accounts/schema/people'
import { webhookDeliveries, webhooks } from '../../server/accounts/schema/webhooks'
import { accessRequests, invites } from '../../server/accounts/schema/invites'
import { logSummaries } from '../../server/fleet/schema/log-summaries'
import { notifications } from '../../server/accounts/schema/notifications'
import { projects } from '../../server/accounts/schema/projects'
import { signingKeys } from '../../server/fleet/schema/keys'
import { assets, releases, uploads } from '../../server/updates/schema/releases'
import { bundleArtifacts, secureBootBundles } from '../../server/updates/schema/secure-boot'
import { rollouts } from '../../server/updates/schema/rollouts'
import { savedViews } from '../../server/fleet/schema/saved-views'
import { tags } from '../../server/fleet/schema/tags'
import type { Deps } from '../../server/core/deps'
import { newRow } from '../../server/core/database/row'
import { createToken, hashOf, prefixOf } from '../../server/core/tokens/token'

const hex = () => randomBytes(32).toString('hex')
const name = (kind: string) => `${kind}-${ulid().slice(-6).toLowerCase()}`

/** One minimal row of each kind, for tests of access rights. */
export const createTestObjects = ({ db, clock }: Deps) => {
  const savedView = async (projectId: string, ownerId: string) => {
    const view = { name: name('view'), query: 'health=critical', columns: [], dense: false, shared: true }
    const row = { ...newRow(clock()), projectId, ownerId, ...view }
    await db.insert(savedViews).values(row)
    return row.id
  }
  const tag = async (projectId: string) => {
    const row = { ...newRow(clock()), projectId, name: name('tag'), colour: 'moss' as const }
    await db.insert(tags).values(row)
    return row.id
  }

  const device = async (projectId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      name: name('device'),
      hardwareModel: 'gw-imx8m',
      lifecycle: 'active' as const,
      enrollment: 'group' as const,
      firstSeenAt: clock(),
      lastSeenAt: clock(),
    }
    await db.insert(devices).values(row)
    const token = createToken('dvc')
    const secret = { tokenHash: hashOf(token), prefix: prefixOf(token), createdAt: clock() }
    await db.insert(deviceTokens).values({ ...secret, projectId, deviceId: row.id })
    return { id: row.id, token }
  }

  const logSummary = async (projectId: string, deviceId: string) => {
    const content = { boot_count: 0, first_ts_ms: null, last_ts_ms: null, headline: 'No lines in this period' }
    const empty = { findings: [], levels: [], units: [], templates: [], timeline: [], boots: [], gaps: [] }
    const row = {
      ...newRow(clock()),
      projectId,
      deviceId,
      from: clock(),
      to: clock(),
      engineVersion: 1,
      inputHash: hex(),
      lineCount: 0,
      cut: false,
      verdict: 'normal' as const,
      content: { ...content, ...empty },
    }
    await db.insert(logSummaries).values(row)
    return row.id
  }

  const deviceJob = async (projectId: string, userId: string) => {
    const maker = {
      id: userId,
      name: 'Somebody',
      email: 'somebody@example.com',
      credential: { kind: 'session' as const, id: ulid() },
      sourceIp: '127.0.0.1',
      userAgent: null,
      requestId: ulid(),
    }
    const row = { ...newRow(clock()), projectId, chainId: userId, action: 'resume' as const, args: {}, maker, total: 0 }
    await db.insert(deviceJobs).values({ ...row, state: 'done' })
    return row.id
  }

  const enrollmentToken = async (projectId: string) => {
    const token = createToken('enr')
    const secret = { tokenHash: hashOf(token), prefix: prefixOf(token) }
    const row = { ...newRow(clock()), projectId, ...secret, name: name('token'), kind: 'group' as const, autoAccept: true }
    await db.insert(enrollmentTokens).values(row)
    return { id: row.id, token }
  }

  const accessToken = async (projectId: string, makerId: string, facts: Partial<typeof accessTokens.$inferInsert> = {}) => {
    const token = createToken('pat')
    const secret = { tokenHash: hashOf(token), prefix: prefixOf(token) }
    // Used just now: another use is not written.
    const used = { lastUsedAt: clock(), lastUsedIp: '127.0.0.1' }
    const row = { ...newRow(clock()), projectId, makerId, ...secret, name: name('machine'), permissions: [], ...used, ...facts }
    await db.insert(accessTokens).values(row)
    return { id: row.id, token }
  }

  const webhook = async (projectId: string) => {
    const base = newRow(clock())
    const facts = { url: 'https://hooks.example.com/teasel', types: ['rollout.halted' as const], state: 'active' as const }
    await db.insert(webhooks).values({ ...base, projectId, ...facts, secret: '', secretPrefix: 'whsec_abcd' })
    const now = clock()
    const delivery = { id: newRow(now).id, projectId, webhookId: base.id, eventId: newRow(now).id, type: 'rollout.halted' }
    await db.insert(webhookDeliveries).values({ ...delivery, at: now, data: {}, createdAt: now, state: 'failed' })
    return { webhookId: base.id, webhookDeliveryId: delivery.id }
  }

  const signingKey = async (projectId: string) => {
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const row = {
      ...newRow(clock()),
      projectId,
      name: name('key'),
      algorithm: 'ed25519' as const,
      publicKeyPem: pem,
      fingerprint: hex(),
      custody: 'external' as const,
      purpose: 'release' as const,
      state: 'active' as const,
    }
    await db.insert(signingKeys).values(row)
    return row.id
  }

  const release = async (projectId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      name: name('release'),
      version: 1,
      type: 'file' as const,
      hardwareModels: ['gw-imx8m'],
      hooks: { pre_install: null, post_install: null, post_reboot: null },
      reboot: 'never' as const,
      state: 'draft' as const,
    }
    await db.insert(releases).values(row)
    return row.id
  }

  const asset = async (projectId: string, releaseId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      releaseId,
      name: name('asset'),
      kind: 'payload' as const,
      size: 5,
      contentType: 'application/octet-stream',
      state: 'expected' as const,
    }
    await db.insert(assets).values(row)
    return row.id
  }

  const bundle = async (projectId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      name: name('bundle'),
      version: 1,
      platform: 'u-boot-fit' as const,
      hardwareModels: ['gw-imx8m'],
      state: 'draft' as const,
      fuseConfig: { words: [], close_step: null, debug_lock: 'open' as const },
    }
    await db.insert(secureBootBundles).values(row)
    return row.id
  }

  const artifact = async (projectId: string, bundleId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      bundleId,
      role: 'fit_image' as const,
      fileName: name('image'),
      size: 5,
      state: 'expected' as const,
    }
    await db.insert(bundleArtifacts).values(row)
    return row.id
  }

  let rolloutNumber = 0
  const rollout = async (projectId: string, releaseId: string) => {
    const row = {
      ...newRow(clock()),
      projectId,
      releaseId,
      number: ++rolloutNumber,
      name: name('rollout'),
      target: { tags_all: [], tags_any: [], tags_none: [], device_ids: [] },
      membership: 'frozen' as const,
      maxConcurrent: 10,
      retries: 3,
      onFailure: 'halt' as const,
      priority: 50,
      requiresApproval: false,
      phase: 'draft' as const,
      previewHash: hex(),
    }
    await db.insert(rollouts).values(row)
    return row.id
  }

  const identity = async (userId: string) => {
    const id = ulid(clock().getTime())
    const times = { createdAt: clock(), lastUsedAt: clock() }
    const issuer = `https://${id.toLowerCase()}.example.com`
    await db.insert(identities).values({ id, userId, issuer, subject: id, email: 'ines@example.com', ...times })
    return id
  }

  const notification = async (userId: string) => {
    const id = ulid(clock().getTime())
    const about = { kind: 'sign_in.new_browser' as const, data: { ip: '127.0.0.1', user_agent: null, at: clock().toISOString() } }
    await db.insert(notifications).values({ id, userId, projectId: null, topic: id, at: clock(), ...about })
    return id
  }

  const upload = async (projectId: string, ownerId: string, targetId: string) => {
    const id = ulid(clock().getTime())
    await db.insert(uploads).values({
      id,
      createdAt: clock(),
      projectId,
      ownerId,
      fileName: 'image.bin',
      contentType: 'application/octet-stream',
      size: 5,
      purpose: 'release_asset',
      targetId,
      state: 'open',
      expiresAt: new Date(clock().getTime() + 86_400_000),
    })
    return id
  }

  /** An invite to the project's organization or to the project, and for an organization an access request. */
  const invite = async (projectId: string, userId: string) => {
    const [project] = await db.select().from(projects).where(eq(projects.id, projectId))
    const organizationId = project?.organizationId ?? null
    const row = {
      ...newRow(clock()),
      organizationId,
      projectId: organizationId === null ? projectId : null,
      email: `${ulid().toLowerCase()}@example.com`,
      role: 'viewer' as const,
      message: '',
      tokenHash: hex(),
      state: 'pending' as const,
      invitedBy: userId,
      expiresAt: new Date(clock().getTime() + 7 * 86_400_000),
      lastSentAt: clock(),
      sendCount: 1,
    }
    await db.insert(invites).values(row)
    const request = { ...newRow(clock()), userId, permission: 'organization:delete' as const, reason: '', state: 'open' as const }
    if (organizationId !== null)
      await db
        .insert(accessRequests)
        .values({ ...request, organizationId })
        .onConflictDoNothing()
    return { inviteId: row.id, accessRequestId: request.id }
  }

  return {
    invite,
    savedView,
    tag,
    device,
    deviceJob,
    logSummary,
    accessToken,
    enrollmentToken,
    webhook,
    signingKey,
    release,
    asset,
    bundle,
    artifact,
    rollout,
    identity,
    notification,
    upload,
  }
}
