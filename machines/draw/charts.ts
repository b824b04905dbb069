import type { AnyStateMachine } from 'xstate'
import { authMachine } from '../auth/auth.machine'
import { chunkReloadMachine } from '../chunk-reload/chunk-reload.machine'
import { connectionMachine } from '../connection/connection.machine'
import { deviceImportMachine } from '../device-import/device-import.machine'
import { deviceUpdateMachine } from '../device-update/device-update.machine'
import { formMachine } from '../form/form.machine'
import { liveFeedMachine } from '../live-feed/live-feed.machine'
import { longWorkMachine } from '../long-work/long-work.machine'
import { modalsMachine } from '../modals/modals.machine'
import { organizationMachine } from '../organization/organization.machine'
import { questionnaireMachine } from '../questionnaire/questionnaire.machine'
import { releaseMachine } from '../release/release.machine'
import { rolloutMachine } from '../rollout/rollout.machine'
import { fuseStepMachine } from '../secure-boot/fuse-step/fuse-step.machine'
import { secureBootMachine } from '../secure-boot/secure-boot.machine'
import { tourMachine } from '../tour/tour.machine'
import { uploadMachine } from '../upload-panel/upload/upload.machine'
import { uploadPanelMachine } from '../upload-panel/upload-panel.machine'

/** Every chart with its folder, in the order of the overview page. */
export const charts: readonly { folder: string; machine: AnyStateMachine }[] = [
  { folder: 'auth', machine: authMachine },
  { folder: 'organization', machine: organizationMachine },
  { folder: 'upload-panel', machine: uploadPanelMachine },
  { folder: 'upload-panel/upload', machine: uploadMachine },
  { folder: 'chunk-reload', machine: chunkReloadMachine },
  { folder: 'questionnaire', machine: questionnaireMachine },
  { folder: 'form', machine: formMachine },
  { folder: 'modals', machine: modalsMachine },
  { folder: 'connection', machine: connectionMachine },
  { folder: 'tour', machine: tourMachine },
  { folder: 'live-feed', machine: liveFeedMachine },
  { folder: 'long-work', machine: longWorkMachine },
  { folder: 'device-import', machine: deviceImportMachine },
  { folder: 'release', machine: releaseMachine },
  { folder: 'rollout', machine: rolloutMachine },
  { folder: 'device-update', machine: deviceUpdateMachine },
  { folder: 'secure-boot', machine: secureBootMachine },
  { folder: 'secure-boot/fuse-step', machine: fuseStepMachine },
]
