import { useActorRef, useSelector } from '@xstate/react'
import { useMutation } from '@tanstack/react-query'
import { useInsertionEffect, useState } from 'react'
import { fromPromise } from 'xstate'
import { deviceImportMachine } from '../../../../machines/device-import/device-import.machine'
import { importDevicesMutation } from '../../../api/mutations/fleet/device-imports'
import { actorOptions } from '../../../system/inspection'
import { useSystem } from '../../../system/system'

/** The first character tells the form of a file: NDJSON begins with an object. */
const toRows = async (source: Blob): Promise<Blob> => {
  const start = await source.slice(0, 64).text()
  return new Blob([source], { type: start.trimStart().startsWith('{') ? 'application/x-ndjson' : 'text/csv' })
}

type Source = { bytes: Blob; model: string; fileName: string | undefined }
type Send = (source: Source, dryRun: boolean, signal: AbortSignal) => Promise<unknown>

const connect = () => {
  const held: { send?: Send; source?: Source } = {}
  const send = async (dryRun: boolean, signal: AbortSignal): Promise<void> => {
    if (!held.send || !held.source) throw new Error('There is no source')
    await held.send(held.source, dryRun, signal)
  }
  const machine = deviceImportMachine.provide({
    actors: {
      check: fromPromise<void, void>(({ signal }) => send(true, signal)),
      import: fromPromise<void, void>(({ signal }) => send(false, signal)),
    },
  })
  return { held, machine }
}

/** The chart of an import, connected to the API. */
export const useDeviceImport = (projectId: string) => {
  const { api } = useSystem()
  const check = useMutation(importDevicesMutation(api, projectId))
  const run = useMutation(importDevicesMutation(api, projectId))
  const [{ held, machine }] = useState(connect)
  useInsertionEffect(() => {
    const send: Send = async ({ bytes, model, fileName }, dryRun, signal) => {
      const query = {
        dry_run: dryRun,
        ...(model !== '' && { hardware_model: model }),
        ...(fileName !== undefined && { file_name: fileName.slice(0, 200) }),
      }
      const { mutateAsync } = dryRun ? check : run
      return mutateAsync({ rows: await toRows(bytes), query, signal })
    }
    Object.assign(held, { send })
  })
  const actor = useActorRef(machine, actorOptions)
  const has = useSelector(actor, (snapshot) => snapshot.tags)
  const ask = (type: 'check.asked' | 'import.asked', source: Source) => {
    Object.assign(held, { source })
    actor.send({ type })
  }
  return {
    has,
    checked: has.has('checked') ? check.data : undefined,
    done: has.has('done') ? run.data : undefined,
    checkError: has.has('checkFailed') ? check.error : null,
    importError: has.has('importFailed') ? run.error : null,
    since: has.has('importing') ? run.submittedAt : check.submittedAt,
    check: (source: Source) => ask('check.asked', source),
    run: (source: Source) => ask('import.asked', source),
    cancel: () => actor.send({ type: 'request.cancelled' }),
    changed: () => actor.send({ type: 'source.changed' }),
  }
}
