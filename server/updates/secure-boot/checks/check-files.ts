import type { Reader } from '../../../core/reading/protocol'
import type { ArtifactInput, BundleFacts, CheckBundle } from '../types'
import { checkBundle } from './check-bundle'

export type FilesToCheck = { bundle: BundleFacts; artifacts: readonly Omit<ArtifactInput, 'bytes'>[] }
export type CheckedFiles = Awaited<ReturnType<CheckBundle>>

/** Checks the files of a bundle in a thread; passes on how many are done. */
export const checkFiles: Reader<FilesToCheck, CheckedFiles, number> = ({ bundle, artifacts }, { files, emit }) =>
  checkBundle(
    bundle,
    artifacts.flatMap((facts, n) => (files[n] ? [{ ...facts, bytes: files[n] }] : [])),
    emit,
  )
