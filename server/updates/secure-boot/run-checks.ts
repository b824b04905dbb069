import { createHash } from 'node:crypto'
import type { Check } from '../../../contract/updates/secure-boot/bundles'
import type { Deps } from '../../core/deps'
import { recordSystemEvent } from '../../accounts/audit/system'
import type { Tx } from '../../core/database/tx'
import { storedBytes } from '../../core/storage/stored-bytes'
import { type ArtifactRow, listArtifacts, updateArtifact, updateParsed } from './artifacts.repository'
import { countApplied } from './applied.repository'
import { toBundleFacts } from './read'
import { type BundleRow, highestRollbackVersion, listCheckingBundles, lockCheckRun, updateCheckProgress } from './repository'
import { transitionBundle } from './transitions'
import type { CheckBundle, ParsedArtifact } from './types'

type JobDeps = Pick<Deps, 'db' | 'storage' | 'clock' | 'log'>

/** A run that was begun so often ends without a result: its process died each time. */
const maxAttempts = 3

const nothingRead: ParsedArtifact = { signature: null, parsed: null, certificateExpiresAt: null }

const finding = (id: string, text: string, artifact: ArtifactRow | null, reason: string | null = null): Check => ({
  id,
  level: 'error',
  text,
  reason,
  artifact_id: artifact?.id ?? null,
  range: null,
})

const hashOf = async ({ storage }: JobDeps, { storageKey }: ArtifactRow) => {
  const hash = createHash('sha256')
  for await (const chunk of (await storage.read(storageKey ?? '')) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** A storage that cannot be read says nothing about the bytes: it throws, and the next run reads them again. */
const isIntact = async (deps: JobDeps, artifact: ArtifactRow): Promise<boolean> =>
  (await deps.storage.size(artifact.storageKey ?? '')) === artifact.size && (await hashOf(deps, artifact)) === artifact.sha256

const bundleFindings = async ({ db }: JobDeps, row: BundleRow, artifacts: readonly ArtifactRow[]): Promise<Check[]> => {
  const lowest = await highestRollbackVersion(db, { ...row, except: row.id })
  return [
    ...artifacts.flatMap((artifact) =>
      artifact.state === 'ready'
        ? []
        : [
            finding(
              'bundle.file_not_ready',
              `${artifact.fileName} is not uploaded`,
              artifact,
              artifact.rejectReason ?? 'Upload the file again, or remove it',
            ),
          ],
    ),
    ...(row.rollbackVersion < lowest
      ? [
          finding(
            'bundle.rollback_version',
            `The rollback version ${row.rollbackVersion} is below ${lowest}`,
            null,
            'Devices have it',
          ),
        ]
      : []),
  ]
}

const check = async (deps: JobDeps, checkFormats: CheckBundle, row: BundleRow) => {
  const artifacts = await listArtifacts(deps.db, [row.id])
  const ready = artifacts.filter(({ state }) => state === 'ready')
  const checks = await bundleFindings(deps, row, artifacts)
  const intact: ArtifactRow[] = []
  for (const artifact of ready)
    if (await isIntact(deps, artifact)) intact.push(artifact)
    else
      checks.push(
        finding(
          'bundle.file_damaged',
          `The stored bytes of ${artifact.fileName} have changed`,
          artifact,
          'Remove the file and upload it again',
        ),
      )
  const report = (checkDone: number) => updateCheckProgress(deps.db, row, { checkDone, checkTotal: intact.length })
  await report(0)
  const found = await checkFormats(
    toBundleFacts(row),
    intact.map((artifact) => ({
      id: artifact.id,
      role: artifact.role,
      fileName: artifact.fileName,
      sha256: artifact.sha256 ?? '',
      loadAddress: artifact.loadAddress,
      bytes: storedBytes(deps.storage, artifact.storageKey ?? '', artifact.size),
    })),
    async (done) => void (await report(done)),
  )
  return { checks: [...checks, ...found.checks], parsed: found.parsed, artifacts: intact }
}

const problemsText = (checks: readonly Check[]) => {
  const errors = checks.filter(({ level }) => level === 'error').length
  return errors === 1 ? '1 check failed' : `${errors} checks failed`
}

/** Files that were stored before their form of private key was known. */
const refuseSecrets = async (tx: Tx, { clock }: JobDeps, row: BundleRow, secret: readonly ArtifactRow[], checks: Check[]) => {
  const now = clock()
  const rejectReason = 'The file contains a private key. Its bytes were deleted: keep private keys off this server'
  for (const { id, fileName: name } of secret) {
    await updateArtifact(
      tx,
      id,
      {
        state: 'rejected',
        rejectCode: 'private_key',
        rejectReason,
        storageKey: null,
        sha256: null,
        ...nothingRead,
      },
      now,
    )
    const target = { kind: 'bundle_artifact', id, name }
    const event = {
      projectId: row.projectId,
      action: 'bundle.private_key',
      by: 'Bundle checks',
      target,
      reason: rejectReason,
    } as const
    await recordSystemEvent(tx, event, now)
  }
  await transitionBundle(tx, row, 'private_key.found', now, { checks, checkedAt: now, stateReason: rejectReason })
}

const runOne = async (deps: JobDeps, checkFormats: CheckBundle, row: BundleRow): Promise<void> => {
  const { db, clock } = deps
  if (row.checkAttempts >= maxAttempts) {
    await db.transaction(async (tx) => {
      const stateReason = `The checks did not end after ${maxAttempts} attempts`
      const locked = await lockCheckRun(tx, row)
      if (locked) await transitionBundle(tx, locked, 'check.expired', clock(), { stateReason })
    })
    return
  }
  if (!(await updateCheckProgress(db, row, { checkAttempts: row.checkAttempts + 1 }))) return
  const { checks, parsed, artifacts } = await check(deps, checkFormats, row)
  const now = clock()
  const secret = artifacts.filter(({ id }) => checks.some((one) => one.artifact_id === id && /\bprivate_key$/.test(one.id)))
  // Before the result is stored: a process that dies in between leaves nothing of them.
  for (const { storageKey } of secret) await deps.storage.remove(storageKey ?? '')
  await db.transaction(async (tx) => {
    const locked = await lockCheckRun(tx, row)
    // The bundle was changed meanwhile: this result is of other files.
    if (!locked) return
    if (secret.length > 0) return refuseSecrets(tx, deps, locked, secret, checks)
    for (const artifact of artifacts) await updateParsed(tx, artifact, parsed.get(artifact.id) ?? nothingRead)
    const passed = checks.every(({ level }) => level !== 'error')
    const state = await transitionBundle(tx, locked, passed ? 'check.passed' : 'check.failed', now, {
      checks,
      checkedAt: now,
      stateReason: passed ? null : problemsText(checks),
    })
    // Devices reported it before it was ready.
    if (passed && (await countApplied(tx, locked.projectId, [locked.id])).has(locked.id))
      await transitionBundle(tx, { id: locked.id, state }, 'bundle.applied', now, { appliedAt: now })
  })
}

/**
 * Runs the checks of the bundles that wait for them. A run whose process was killed is begun again; the result of one that the
 * bundle was changed under is dropped.
 */
export const runBundleChecks = async (deps: JobDeps, checkFormats: CheckBundle, count = 5): Promise<void> => {
  for (const row of await listCheckingBundles(deps.db, count))
    try {
      await runOne(deps, checkFormats, row)
    } catch (error) {
      deps.log.error({ err: error, bundle: row.id }, 'the checks of a bundle ended without a result')
    }
}
