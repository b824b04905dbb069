import { questionnaireModel } from '../../machines/questionnaire/questionnaire.model'
import { questionnaire } from './behaviour/questionnaire'
import { modalsModel } from '../../machines/modals/modals.model'
import { modals } from './behaviour/modals'
import { tourModel } from '../../machines/tour/tour.model'
import { tour } from './behaviour/tour'
import { liveFeedModel } from '../../machines/live-feed/live-feed.model'
import { liveFeed } from './behaviour/live-feed'
import { deviceImportModel } from '../../machines/device-import/device-import.model'
import { deviceImport } from './behaviour/device-import'
import { longWorkModel } from '../../machines/long-work/long-work.model'
import { longWork } from './behaviour/long-work'
import type { Model } from '../../machines/model'
import type { Behaviour } from './behaviour/behaviour'
import { authModel } from '../../machines/auth/auth.model'
import { auth } from './behaviour/auth'
import { organizationModel } from '../../machines/organization/organization.model'
import { organization } from './behaviour/organization'
import { uploadPanelModel } from '../../machines/upload-panel/upload-panel.model'
import { uploadPanel } from './behaviour/upload-panel'
import { uploadModel } from '../../machines/upload-panel/upload/upload.model'
import { upload } from './behaviour/upload'
import { chunkReloadModel } from '../../machines/chunk-reload/chunk-reload.model'
import { chunkReload } from './behaviour/chunk-reload'
import { formModel } from '../../machines/form/form.model'
import { form } from './behaviour/form'
import { connectionModel } from '../../machines/connection/connection.model'
import { connection } from './behaviour/connection'
import { releaseModel } from '../../machines/release/release.model'
import { release } from './behaviour/release'
import { rolloutModel } from '../../machines/rollout/rollout.model'
import { rollout } from './behaviour/rollout'
import { deviceUpdateModel } from '../../machines/device-update/device-update.model'
import { deviceUpdate } from './behaviour/device-update'
import { secureBootModel } from '../../machines/secure-boot/secure-boot.model'
import { secureBoot } from './behaviour/secure-boot'
import { fuseStepModel } from '../../machines/secure-boot/fuse-step/fuse-step.model'
import { fuseStep } from './behaviour/fuse-step'

/** Every chart, its folder, and the number of its random walks: 20,000 for the five flows that the specification describes. */
export type Chart = { name: string; folder: string; model: Model; behaviour: Behaviour; runs: number }

const chart = (folder: string, model: Model, behaviour: Behaviour, runs: number): Chart => ({
  name: model.machine.id,
  folder: `machines/${folder}`,
  model,
  behaviour,
  runs,
})

export const charts: Chart[] = [
  chart('auth', authModel, auth, 20_000),
  chart('organization', organizationModel, organization, 20_000),
  chart('upload-panel', uploadPanelModel, uploadPanel, 20_000),
  chart('upload-panel/upload', uploadModel, upload, 20_000),
  chart('chunk-reload', chunkReloadModel, chunkReload, 20_000),
  chart('questionnaire', questionnaireModel, questionnaire, 20_000),
  chart('form', formModel, form, 5000),
  chart('connection', connectionModel, connection, 5000),
  chart('modals', modalsModel, modals, 5000),
  chart('tour', tourModel, tour, 5000),
  chart('live-feed', liveFeedModel, liveFeed, 5000),
  chart('long-work', longWorkModel, longWork, 5000),
  chart('device-import', deviceImportModel, deviceImport, 5000),
  chart('release', releaseModel, release, 5000),
  chart('rollout', rolloutModel, rollout, 5000),
  chart('device-update', deviceUpdateModel, deviceUpdate, 5000),
  chart('secure-boot', secureBootModel, secureBoot, 5000),
  chart('secure-boot/fuse-step', fuseStepModel, fuseStep, 5000),
]
