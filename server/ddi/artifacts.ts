import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { md5Suffix } from '../../contract/ddi/api'
import type { ProjectSettings } from '../../contract/accounts/projects'
import type { Deps } from '../core/deps'
import type { DeviceActor } from '../core/http/actors'
import { transact } from '../core/http/database-errors'
import { notFound } from '../core/http/refuse'
import { lockCallingDevice, updateReportedFacts } from '../fleet/devices/repository'
import { hashOfAttributes } from '../fleet/devices/attributes'
import { updateDeviceUpdate } from '../updates/device-updates/repository'
import { clientHashesOf, type IntegrityDeps } from '../updates/releases/assets/integrity'
import { type AssetRow, countDownload } from '../updates/releases/assets/repository'
import { assetBytes, beginsDownload, partsFor } from '../updates/releases/assets/send'
import { isOpen } from './action-state'
import { type Action, findAction, findSucceededAction, isRevoked, raiseServedTo } from './actions.repository'
import { toAttributes } from '../fleet/devices/attributes'
import { filesOf } from './deployment'
import { storeMeanings } from './reports'
import { createShortMemory } from './short-memory'
import { createThrottle } from './throttle'

const progressEveryMs = 5000

type Asked = { deps: IntegrityDeps; device: DeviceActor; params: { actionId: string; artifactName: string } }

type Allowed = { found: Action; asset: AssetRow; isSum: boolean }

/** A file, or its MD5 sum, of an action that is open, or that was the last one to succeed. */
const allowed = async ({ deps: { db }, device, params }: Asked): Promise<Allowed> => {
  const found = (await findAction(db, device.id, Number(params.actionId))) ?? notFound()
  if (!isOpen(found)) {
    const last = await findSucceededAction(db, device.id)
    if (last?.action.id !== found.action.id) return notFound()
  }
  const files = await filesOf(db, found.release.id)
  const { artifactName } = params
  const asset = files.find(({ name }) => name === artifactName)
  if (asset) return { found, asset, isSum: false }
  const summed = files.find(({ name }) => `${name}${md5Suffix}` === artifactName)
  return { found, asset: summed ?? notFound(), isSum: true }
}

const nbdHeader = /^rauc-(boot-id|system-version|variant|slot-name|serial|transaction-id|uptime|[a-z-]{1,40})$/

/** What a streaming RAUC says about its system with the first request. Its machine id identifies a person's device elsewhere too. */
const raucAttributes = (headers: FastifyRequest['headers']) =>
  toAttributes(
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        nbdHeader.test(name) && name !== 'rauc-machine-id'
          ? [[`rauc.${name.slice('rauc-'.length).replaceAll('-', '_')}`, value]]
          : [],
      ),
    ),
  )

const noteRauc = async ({ db }: Deps, { id }: DeviceActor, headers: FastifyRequest['headers']) => {
  const sent = raucAttributes(headers)
  if (Object.keys(sent).length === 0) return
  await transact(db, async (tx) => {
    const { attributes: before } = await lockCallingDevice(tx, id)
    const attributes = Object.fromEntries(Object.entries({ ...before, ...sent }).slice(0, 100))
    if (JSON.stringify(attributes) === JSON.stringify(before)) return
    await updateReportedFacts(tx, id, { attributes, attributesHash: await hashOfAttributes(attributes) })
  })
}

/** The first byte starts the download, if the client has not reported it. */
const noteStart = (deps: Deps, settings: ProjectSettings, { id }: DeviceActor, { action }: Action, asset: AssetRow) =>
  transact(deps.db, async (tx) => {
    const now = deps.clock()
    const device = await lockCallingDevice(tx, id)
    const found = await findAction(tx, id, action.id)
    if (!found || !isOpen(found)) return
    await updateDeviceUpdate(tx, found.update, { bytesTotal: asset.size })
    const told = { action: found, body: 'the first byte' }
    await storeMeanings(tx, device, settings, [{ type: 'download_started' }], told, now)
  })

const noteServed = (deps: Deps, { id }: DeviceActor, { action }: Action, asset: AssetRow, end: number) =>
  transact(deps.db, async (tx) => {
    await lockCallingDevice(tx, id)
    await raiseServedTo(tx, action, end)
    const found = await findAction(tx, id, action.id)
    if (!found || !isOpen(found) || found.action.servedTo <= (found.update.bytesDone ?? 0)) return
    const bytesDone = found.action.servedTo
    const progress = { bytesDone, bytesTotal: asset.size, grownAt: deps.clock() }
    const isDownloading = found.update.state === 'downloading'
    await updateDeviceUpdate(tx, found.update, {
      ...progress,
      ...(isDownloading && { progress: Math.floor((100 * bytesDone) / asset.size) }),
    })
  })

/** Passes the bytes on and reports, every few seconds and at the end, up to which byte of the file they were sent. */
async function* followed(
  bytes: AsyncIterable<Buffer>,
  from: number,
  report: (end: number) => Promise<unknown>,
): AsyncGenerator<Buffer> {
  let end = from
  let reportedAt = performance.now()
  try {
    for await (const chunk of bytes) {
      yield chunk
      end += chunk.length
      if (performance.now() - reportedAt < progressEveryMs) continue
      reportedAt = performance.now()
      await report(end)
    }
  } finally {
    await report(end)
  }
}

/** What one process sends to DDI clients. */
export const artifactSender = (slowed: ReturnType<typeof createThrottle>) => {
  const remembered = createShortMemory<Awaited<ReturnType<typeof allowed>>>()
  const authorize = (asked: Asked): ReturnType<typeof allowed> => {
    const { device, params } = asked
    const key = [device.tokenHash, device.id, params.actionId, params.artifactName].join('\n')
    return remembered(key, () => allowed(asked))
  }

  return async (asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { deps, device } = asked
    const { found, asset, isSum } = await authorize(asked)
    // Not by the memory: nobody downloads a release after it was revoked.
    if (await isRevoked(deps.db, found.release.id)) return notFound()
    if (isSum) {
      reply.type('text/plain')
      return `${(await clientHashesOf(deps, asset)).md5}  ${asset.name}`
    }
    const bytes = await assetBytes({ deps, request, reply }, asset)
    if (request.method === 'HEAD' || reply.statusCode === 304) return bytes
    if (beginsDownload(request, asset)) {
      await countDownload(deps.db, asset.id)
      await noteRauc(deps, device, request.headers)
    }
    if (found.action.servedTo === 0) await noteStart(deps, device.settings, device, found, asset)
    const parts = partsFor(request, asset)
    const [first] = parts !== null && parts !== 'unsatisfiable' ? parts : [{ start: 0, end: asset.size - 1 }]
    const last = parts !== null && parts !== 'unsatisfiable' ? parts.at(-1) : undefined
    const isSingle = last === undefined || last === first
    const report = (end: number) =>
      noteServed(deps, device, found, asset, isSingle ? end : (last?.end ?? 0) + 1).catch((error: unknown) =>
        request.log.warn({ err: error, request_id: request.id }, 'the progress of a download was not stored'),
      )
    const paced = slowed(followed(bytes as AsyncIterable<Buffer>, first.start, report), {
      deviceId: device.id,
      projectId: device.projectId,
    })
    return Readable.from(paced, { objectMode: false })
  }
}
