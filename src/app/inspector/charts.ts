import { uploadPurposes } from '../../../contract/updates/uploads'
import { authMachine } from '../../../machines/auth/auth.machine'
import { authModel } from '../../../machines/auth/auth.model'
import { chunkReloadMachine } from '../../../machines/chunk-reload/chunk-reload.machine'
import { chunkReloadModel } from '../../../machines/chunk-reload/chunk-reload.model'
import { connectionMachine } from '../../../machines/connection/connection.machine'
import { connectionModel } from '../../../machines/connection/connection.model'
import { deviceImportMachine } from '../../../machines/device-import/device-import.machine'
import { deviceImportModel } from '../../../machines/device-import/device-import.model'
import { formMachine } from '../../../machines/form/form.machine'
import { formModel } from '../../../machines/form/form.model'
import { liveFeedMachine } from '../../../machines/live-feed/live-feed.machine'
import { liveFeedModel } from '../../../machines/live-feed/live-feed.model'
import { longWorkMachine } from '../../../machines/long-work/long-work.machine'
import { longWorkModel } from '../../../machines/long-work/long-work.model'
import { modalsMachine } from '../../../machines/modals/modals.machine'
import { modalsModel } from '../../../machines/modals/modals.model'
import { organizationMachine } from '../../../machines/organization/organization.machine'
import { organizationModel } from '../../../machines/organization/organization.model'
import { questionnaireMachine } from '../../../machines/questionnaire/questionnaire.machine'
import { questionnaireModel } from '../../../machines/questionnaire/questionnaire.model'
import { tourMachine } from '../../../machines/tour/tour.machine'
import { tourModel } from '../../../machines/tour/tour.model'
import { uploadMachine } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadModel } from '../../../machines/upload-panel/upload/upload.model'
import { uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'
import { uploadPanelModel } from '../../../machines/upload-panel/upload-panel.model'
import { type Shown, shown } from './visibility'
import { alias, code, count, fields, flag, id, listOf, redacted, knownWord } from './redaction'

const tag = alias('tag')

const file = fields({
  id,
  name: redacted,
  size: count,
  type: redacted,
  purpose: knownWord(...uploadPurposes),
  targetId: id,
  uploadId: id,
  offset: count,
  fingerprint: redacted,
})
const ends = knownWord('done', 'failed', 'cancelled', 'rejected')
// The title of a dialog may contain a name.
const modal = fields({ id: code, kind: knownWord('plain', 'confirm'), stays: flag, title: redacted })

const all: readonly Shown[] = [
  shown(authMachine, {
    model: authModel,
    context: { sessionTag: tag, automatic: flag, reason: knownWord('loop', 'storage', 'exchange') },
    events: {
      'session.refused': { sessionTag: tag },
      'signOut.asked': {},
      'signIn.asked': {},
      'token.removedElsewhere': {},
      'token.changedElsewhere': { sessionTag: tag },
      'retry.asked': {},
      'connection.restored': {},
      'page.returned': {},
    },
    answers: {
      arrival: fields({ found: knownWord('code', 'token', 'nothing'), sessionTag: tag }),
      exchange: fields({ sessionTag: tag }),
      departure: fields({ storage: knownWord('works', 'blocked'), rounds: count }),
    },
  }),
  shown(organizationMachine, {
    model: organizationModel,
    context: { scope: id, lost: id, refused: listOf(id), candidates: listOf(id) },
    events: {
      'route.entered': { scope: id },
      'organization.chosen': { scope: id },
      'organization.refused': { scope: id },
      'organizations.changed': { organizations: listOf(id) },
      'permissions.stale': {},
      'retry.asked': {},
      'session.closed': {},
    },
    answers: { choices: fields({ stored: id, organizations: listOf(id) }) },
  }),
  shown(uploadPanelMachine, {
    model: uploadPanelModel,
    context: { entries: listOf(fields({ file, shown: flag, running: flag })) },
    events: {
      'files.chosen': { files: listOf(file) },
      'uploads.found': { files: listOf(file) },
      'panel.closed': {},
      'panel.collapsed': {},
      'panel.expanded': {},
      'connection.restored': {},
      'session.opened': {},
      'session.closed': {},
      'upload.began': { id },
      'upload.ended': { id, end: ends },
    },
    answers: { unfinished: listOf(file) },
  }),
  shown(uploadMachine, {
    model: uploadModel,
    context: {
      file,
      uploadId: id,
      offset: count,
      sent: count,
      rate: count,
      attempts: count,
      reason: knownWord('not_a_file', 'empty', 'too_large', 'other_file', 'other_content'),
      status: count,
    },
    events: {
      'bytes.sent': { sent: count, rate: count },
      'bytes.ended': {},
      'bytes.broken': { status: count },
      'upload.paused': {},
      'upload.resumed': {},
      'upload.cancelled': {},
      'retry.asked': {},
      'file.given': { name: redacted, size: count },
      'connection.restored': {},
    },
    answers: { reading: fields({ fingerprint: redacted }), place: fields({ uploadId: id, offset: count }) },
    input: file,
  }),
  shown(chunkReloadMachine, {
    model: chunkReloadModel,
    context: { reloaded: flag, working: flag },
    events: { 'chunk.missing': {}, 'work.began': {}, 'work.ended': {}, 'reload.asked': {} },
    input: fields({ reloaded: flag }),
  }),
  shown(questionnaireMachine, {
    model: questionnaireModel,
    context: { free: flag, length: count },
    events: {
      'session.opened': {},
      'session.closed': {},
      'stage.taken': {},
      'stage.freed': {},
      'role.chosen': { role: redacted },
      'customRole.typed': { length: count },
      'questionnaire.submitted': {},
      'questionnaire.dismissed': {},
    },
    answers: { standing: knownWord('seen', 'dismissed', 'due') },
  }),
  shown(formMachine, {
    model: formModel,
    context: {
      dirty: flag,
      saving: flag,
      unknown: flag,
      // A message of the server may repeat what was typed.
      problems: listOf(fields({ field: code, code, message: redacted })),
      failure: fields({ status: count, code, requestId: id }),
    },
    events: {
      'form.changed': { dirty: flag },
      'form.submitted': {},
      'leave.asked': {},
      'leave.confirmed': {},
      'leave.declined': {},
    },
    answers: { validation: listOf(fields({ field: code, code, message: redacted })) },
  }),
  shown(modalsMachine, {
    model: modalsModel,
    context: { stack: listOf(modal), leaving: listOf(modal) },
    events: {
      'modal.opened': { modal },
      'modal.updated': { id: code, title: redacted },
      'modal.closed': { id: code },
      'modals.closed': {},
      'confirm.accepted': { id: code },
      'confirm.declined': { id: code },
    },
  }),
  shown(connectionMachine, {
    model: connectionModel,
    context: {},
    events: { 'connection.lost': {}, 'connection.restored': {} },
  }),
  shown(tourMachine, {
    model: tourModel,
    context: { step: count, steps: count },
    events: { 'tour.started': { steps: count }, 'step.advanced': {}, 'step.returned': {}, 'step.missing': {}, 'tour.left': {} },
  }),
  shown(liveFeedMachine, {
    model: liveFeedModel,
    context: { known: listOf(id), attempts: count },
    events: {
      'feed.started': {},
      'feed.opened': {},
      'entry.received': { id },
      'feed.broken': {},
      'feed.paused': {},
      'feed.resumed': {},
      'feed.stopped': {},
      'connection.restored': {},
    },
  }),
  shown(longWorkMachine, {
    model: longWorkModel,
    context: {},
    events: { 'work.started': {}, 'work.progressed': {}, 'work.cancelled': {} },
  }),
  shown(deviceImportMachine, {
    model: deviceImportModel,
    context: {},
    events: { 'source.changed': {}, 'check.asked': {}, 'import.asked': {}, 'request.cancelled': {} },
  }),
]

/** What the inspector shows of a chart, by its id. Of an unlisted chart only the states are shown. */
export const shownOf = (name: string): Shown | undefined => all.find(({ machine }) => machine.id === name)
