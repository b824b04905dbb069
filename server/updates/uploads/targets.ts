import { artifactTarget } from './artifact-target'
import { assetTarget } from './asset-target'
import type { UploadRow } from './repository'
import type { UploadTarget } from './target'

export const targetOf = (purpose: UploadRow['purpose']): UploadTarget =>
  purpose === 'bundle_artifact' ? artifactTarget : assetTarget
