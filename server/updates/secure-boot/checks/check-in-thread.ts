import type { Logger } from '../../../core/log'
import { defineReading } from '../../../core/reading/reading-threads'
import type { CheckBundle } from '../types'
import type { CheckedFiles, FilesToCheck } from './check-files'

const run = defineReading<FilesToCheck, CheckedFiles, number>('bundle-files', 'jobs')

/** See `CheckBundle`. Files whose checks reach a limit of the thread have one error. */
export const checkInThread =
  (log: Pick<Logger, 'error'>): CheckBundle =>
  async (bundle, artifacts, onArtifact) => {
    const facts = artifacts.map(({ id, role, fileName, sha256, loadAddress }) => ({ id, role, fileName, sha256, loadAddress }))
    const files = artifacts.map(({ bytes }) => bytes)
    const outcome = await run({ given: { bundle, artifacts: facts }, files, ...(onArtifact && { take: onArtifact }), log })
    if (outcome.kind === 'read') return outcome.result
    const text = `The checks of the files were stopped: ${outcome.text}`
    const reason = 'Remove the file that is not made for this platform, or split the bundle'
    return {
      checks: [{ id: 'bundle.checks_stopped', level: 'error', text, reason, artifact_id: null, range: null }],
      parsed: new Map(),
    }
  }
