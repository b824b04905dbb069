import { maxUploadBytes } from '../../../contract/core/limits'
import { failed, model } from '../../model'
import { ports, type UploadFacts, uploadMachine } from './upload.machine'

const file: UploadFacts = { id: 'a', name: 'a.bin', size: 100, type: '', purpose: 'release_asset', targetId: 't' }

export const uploadModel = model(ports, {
  machine: uploadMachine,
  starts: {
    fresh: file,
    unfinished: { ...file, uploadId: 'u', offset: 40, fingerprint: 'f' },
    unknown: { ...file, uploadId: 'u', offset: 40, fingerprint: null },
    empty: { ...file, size: 0 },
    largest: { ...file, size: maxUploadBytes },
    tooLarge: { ...file, size: maxUploadBytes + 1 },
  },
  events: {
    'bytes.sent': [
      { type: 'bytes.sent', sent: 50, rate: 10 },
      { type: 'bytes.sent', sent: 20, rate: 10 },
    ],
    'bytes.ended': [{ type: 'bytes.ended' }],
    'bytes.broken': [
      { type: 'bytes.broken', status: 0 },
      { type: 'bytes.broken', status: 409 },
      { type: 'bytes.broken', status: 507 },
    ],
    'upload.paused': [{ type: 'upload.paused' }],
    'upload.resumed': [{ type: 'upload.resumed' }],
    'upload.cancelled': [{ type: 'upload.cancelled' }],
    'retry.asked': [{ type: 'retry.asked' }],
    'file.given': [
      { type: 'file.given', name: 'a.bin', size: 100 },
      { type: 'file.given', name: 'b.bin', size: 100 },
      { type: 'file.given', name: 'a.bin', size: 99 },
    ],
    'connection.restored': [{ type: 'connection.restored' }],
  },
  answers: {
    reading: { done: [{ fingerprint: 'f' }, { fingerprint: 'g' }], error: [failed(0)] },
    place: {
      done: [
        { uploadId: 'u', offset: 0 },
        { uploadId: 'u', offset: 40 },
      ],
      error: [failed(0), failed(404)],
    },
    completion: { done: [undefined], error: [failed(503), failed(422)] },
  },
})
