import type { AnyStateMachine } from 'xstate'
import { authMachine } from '../auth/auth.machine'
import { chunkReloadMachine } from '../chunk-reload/chunk-reload.machine'
import { connectionMachine } from '../connection/connection.machine'
import { deviceUpdateMachine } from '../device-update/device-update.machine'
import { formMachine } from '../form/form.machine'
import { liveFeedMachine } from '../live-feed/live-feed.machine'
import { modalsMachine } from '../modals/modals.machine'
import { organizationMachine } from '../organization/organization.machine'
import { questionnaireMachine } from '../questionnaire/questionnaire.machine'
import { releaseMachine } from '../release/release.machine'
import { rolloutMachine } from '../rollout/rollout.machine'
import { tourMachine } from '../tour/tour.machine'
import { uploadMachine } from '../upload-panel/upload/upload.machine'
import { uploadPanelMachine } from '../upload-panel/upload-panel.machine'

/** Every chart with its folder, in the order of the overview page. */
export const charts: readonly { room: string; machine: AnyStateMachine }[] = [
  { room: 'auth', machine: authMachine },
  { room: 'organization', machine: organizationMachine },
  { room: 'upload-panel', machine: uploadPanelMachine },
  { room: 'upload-panel/upload', machine: uploadMachine },
  { room: 'chunk-reload', machine: chunkReloadMachine },
  { room: 'questionnaire', machine: questionnaireMachine },
  { room: 'form', machine: formMachine },
  { room: 'modals', machine: modalsMachine },
  { room: 'connection', machine: connectionMachine },
  { room: 'tour', machine: tourMachine },
  { room: 'live-feed', machine: liveFeedMachine },
  { room: 'release', machine: releaseMachine },
  { room: 'rollout', machine: rolloutMachine },
  { room: 'device-update', machine: deviceUpdateMachine },
]
