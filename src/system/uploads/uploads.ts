import type { QueryClient } from '@tanstack/react-query'
import { type ActorRefFrom, createActor, fromPromise } from 'xstate'
import type { Upload } from '../../../contract/updates/uploads'
import { type UploadFacts, uploadMachine } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'
import type { Api } from '../../api/client'
import { failureOf } from '../../api/failure'
import { openUploadsQuery } from '../../api/queries/updates/uploads'
import { actorOptions } from '../inspection'
import { notify } from '../failure/notify'
import { completion, UploadRefused } from './completion'
import type { Files } from './files'
import { createIdentities } from './identities'
import { announceFailed } from './failed-uploads'
import { sendBytes } from './send-bytes'
import { listTagged } from './tagged-uploads'
import { discard, type UploadConnection, nameHash, findUploadLocation } from './tus'

export type UploadActor = ActorRefFrom<typeof uploadMachine>
export type LoadedUploads = {
  panel: ActorRefFrom<typeof uploadPanelMachine>
  /** Starts uploads; the panel shows them. The target of the bytes must exist before. */
  add: (files: readonly { file: File; purpose: Upload['purpose']; targetId: string }[]) => void
  /** Provides the file of an upload that was started before a reload. */
  give: (id: string, file: File) => void
}

const factsOf = (upload: Upload): UploadFacts => ({
  id: upload.id,
  name: upload.file_name,
  size: upload.size,
  type: '',
  purpose: upload.purpose,
  targetId: upload.target_id,
  uploadId: upload.id,
  offset: upload.offset,
  fingerprint: upload.fingerprint,
})

export const createUploads = ({
  api,
  queryClient,
  line,
}: {
  api: Api
  queryClient: QueryClient
  line: UploadConnection
}): LoadedUploads => {
  const files: Files = new Map()
  const facts = new Map<string, UploadFacts>()
  const identities = createIdentities(files)
  /** Uploads being deleted at the server; a new upload of the same file waits for that. */
  const endings = new Map<string, () => Promise<void>>()
  const end = (id: string, uploadId: string) => {
    let ending = discard(line, uploadId)
    ending.catch((error: unknown) => {
      // Other failures: the server's sweep ends it too.
      if (failureOf(error)?.status !== 409) return
      void notify({ kind: 'info', text: `${facts.get(id)?.name ?? 'The file'} was complete already: it is not removed` })
    })
    endings.set(id, () => ending.catch(() => (ending = discard(line, uploadId))))
  }
  const finish = async (id: string, uploadId: string, signal: AbortSignal) => {
    const sha256 = await identities.sha256(id).catch(() => Promise.reject(new UploadRefused('The file could not be read')))
    await nameHash(line, { uploadId, size: facts.get(id)?.size ?? 0, sha256, signal })
    await completion(api, uploadId, signal)
  }
  const upload = uploadMachine.provide({
    actors: {
      reading: fromPromise(async ({ input }) => ({ fingerprint: await identities.readFingerprint(input.id) })),
      place: fromPromise(async ({ input: { id, uploadId }, signal }) => {
        const known = facts.get(id)
        if (!known) throw new Error(`There is no upload ${id}`)
        if (uploadId === null) await endings.get(id)?.()
        return findUploadLocation(line, { facts: known, uploadId, fingerprint: identities.fingerprint(id), signal })
      }),
      bytes: sendBytes(line, files, identities),
      completion: fromPromise(({ input: { id, uploadId }, signal }) => finish(id, uploadId, signal)),
    },
    actions: {
      discard: ({ context }) => {
        if (context.uploadId !== null) end(context.file.id, context.uploadId)
      },
    },
  })
  const panel = createActor(
    uploadPanelMachine.provide({
      actors: {
        upload,
        unfinished: fromPromise(async () => {
          const found = (await queryClient.fetchQuery(openUploadsQuery(api))).map(factsOf)
          for (const one of found) facts.set(one.id, one)
          return found
        }),
      },
    }),
    actorOptions,
  )
  announceFailed(panel)
  panel.on('upload.ended', ({ id, end }) => {
    // A failed one can be retried.
    if (end !== 'failed') {
      files.delete(id)
      identities.forget(id)
    }
    // The owner of a refused file says why.
    for (const key of ['release', 'releases', 'bundle', 'bundles']) void queryClient.invalidateQueries({ queryKey: [key] })
  })
  return {
    panel,
    add: (chosen) => {
      const added = chosen.map(({ file, purpose, targetId }) => {
        const one: UploadFacts = { id: crypto.randomUUID(), name: file.name, size: file.size, type: file.type, purpose, targetId }
        files.set(one.id, file)
        facts.set(one.id, one)
        return one
      })
      // A closed panel opens with the rows of paused and failed uploads too: nothing else continues them.
      panel.send({ type: 'files.chosen', files: [...listTagged(panel, 'paused', 'failed'), ...added] })
    },
    give: (id, file) => {
      identities.forget(id)
      files.set(id, file)
      panel.getSnapshot().children[id]?.send({ type: 'file.given', name: file.name, size: file.size })
    },
  }
}
