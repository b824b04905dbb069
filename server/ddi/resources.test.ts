import { createHash, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as ddi from '../../contract/ddi/endpoints'
import { artifactNameForm, controllerIdForm, tenantForm } from '../../contract/ddi/api'
import { deleteDevice } from '../../contract/fleet/device-lifecycle'
import type { Endpoint } from '../../contract/core/endpoint'
import * as steps from '../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import { updateEvents } from '../fleet/schema/telemetry.partitioned'
import { releases } from '../updates/schema/releases'
import { ddiActions, ddiDevices } from './schema/ddi'

let api: TestApi
let scene: DdiScene
const bytes = randomBytes(200_000)
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

/** A device with an offered action. */
const offered = async (model = 'swupdate', reboot: 'never' | 'after_install' = 'after_install') => {
  const [device] = await scene.join(1, model)
  if (!device) throw new Error('no device')
  await device.put({ sw_version: '1.0.0', boot_id: 'first' })
  const release = await scene.release(bytes, reboot)
  const rolloutId = await scene.start(release.id, [device])
  const { action, links } = await device.poll()
  expect(action).toMatch(/^1\d{9}$/)
  return { device, release, rolloutId, action, links }
}
const stateOf = async (device: Awaited<ReturnType<typeof offered>>['device']) => (await device.update())?.state
const eventsOf = async (deviceId: string) =>
  (await api.db.select().from(updateEvents).where(eq(updateEvents.deviceId, deviceId)).orderBy(updateEvents.id)).map(
    ({ type }) => type,
  )

describe('GET root', () => {
  it('answers with the interval, and asks for the attributes of a new device once', async () => {
    const [device] = await scene.join(1)
    const { links, sleep } = (await device?.poll()) ?? { links: {}, sleep: '' }
    expect(Object.keys(links)).toEqual(['configData'])
    expect(sleep).toMatch(/^\d\d:\d\d:\d\d$/)
    expect((await device?.put({ sw_version: '1' }))?.statusCode).toBe(200)
    expect((await device?.poll())?.links).toEqual({})
    const dayAgo = new Date(api.deps.clock().getTime() - 86_401_000)
    await api.db
      .update(ddiDevices)
      .set({ configAt: dayAgo })
      .where(eq(ddiDevices.deviceId, (await device?.row())?.id ?? ''))
    expect(Object.keys((await device?.poll())?.links ?? {})).toEqual(['configData'])
  })

  it('links to a deployment with a number behind its action, as hawkBit does', async () => {
    const { device } = await offered()
    const { links } = await device.poll()
    expect(links.deploymentBase?.href).toMatch(/\/deploymentBase\/(\d{10})\?c=\1$/)
    expect((await device.call(links.deploymentBase?.href ?? '')).statusCode).toBe(200)
  })

  it('has no link to the attributes beside a deployment', async () => {
    const { device } = await offered()
    await device.put({ sw_version: '1.0.0', boot_id: 'first' })
    for (const after of [60.1, 300]) {
      api.advance(after)
      expect(Object.keys((await device.poll()).links)).toEqual(['deploymentBase'])
    }
  })

  it('links to the attributes after the installation, but not in two polls running', async () => {
    const { device, action } = await offered()
    await device.put({ sw_version: '1.0.0', boot_id: 'first' })
    await device.feedback(action, 'closed', { finished: 'success' })
    const linked: boolean[] = []
    for (let n = 0; n < 4; n++) {
      api.advance(61)
      linked.push((await device.poll()).links.configData !== undefined)
    }
    expect(linked).toEqual([true, false, true, false])
  })

  it('has no ids, tenants and files of one or two dots, which clients would shorten', () => {
    for (const form of [controllerIdForm, tenantForm, artifactNameForm])
      expect(['.', '..', '...', '.a'].map((text) => form.test(text))).toEqual([false, false, true, true])
  })

  it('links to the same action until it is closed, with links of the host by which the client called', async () => {
    const { device, action, links } = await offered()
    expect(links.deploymentBase?.href).toBe(
      `http://localhost:8080/DEFAULT/controller/v1/${device.id}/deploymentBase/${action}?c=${action}`,
    )
    const again = await device.poll()
    expect([again.action, again.sleep]).toEqual([action, '00:01:00'])
    await device.feedback(action, 'closed', { finished: 'success' })
    expect((await device.poll()).links).not.toHaveProperty('deploymentBase')
  })

  it('writes the tenant as DEFAULT for default, and echoes others', async () => {
    const [device] = await scene.join(1)
    const lower = await device?.call(`/default/controller/v1/${device.id}`)
    expect(lower?.json()._links.configData.href).toContain('/DEFAULT/controller/')
    const other = await device?.call(`/my-tenant/controller/v1/${device.id}`)
    expect(other?.json()._links.configData.href).toContain('/my-tenant/controller/')
  })

  it('has a short head that begins with the length', async () => {
    const { device, action } = await offered('zephyr')
    const answers = [
      (await device.poll()).answer,
      await device.call(`deploymentBase/${action}`),
      await device.feedback(action, 'proceeding'),
      await device.call(`softwaremodules/${action}/artifacts/app.bin`, { headers: { range: 'bytes=100-199' } }),
      await device.call(`deploymentBase/1`),
    ]
    for (const { raw, headers } of answers) {
      expect(Object.keys(headers)[0]).toBe('content-length')
      expect(headers).not.toHaveProperty('transfer-encoding')
      expect((raw.res as unknown as { _header: string })._header.length).toBeLessThanOrEqual(400)
    }
  })
})

describe('GET deploymentBase', () => {
  it('200 while the action is open, in at most 1,000 bytes, with the hashes of the file', async () => {
    const { device, action, release } = await offered()
    const answer = await device.call(`deploymentBase/${action}`)
    expect([answer.statusCode, answer.rawPayload.length < 1000]).toEqual([200, true])
    const hash = (name: string) => createHash(name).update(bytes).digest('hex')
    const link = { href: `http://localhost:8080/DEFAULT/controller/v1/${device.id}/softwaremodules/${action}/artifacts/app.bin` }
    expect(answer.json()).toEqual({
      id: action,
      deployment: {
        download: 'forced',
        update: 'forced',
        chunks: [
          {
            part: 'bApp',
            version: release.display_version,
            name: release.name,
            artifacts: [
              {
                filename: 'app.bin',
                size: bytes.length,
                hashes: { sha1: hash('sha1'), md5: hash('md5'), sha256: hash('sha256') },
                _links: { download: link, 'download-http': link, 'md5sum-http': { href: `${link.href}.MD5SUM` } },
              },
            ],
          },
        ],
      },
    })
  })

  it('404 for an unknown, a foreign and a closed action', async () => {
    const { device, action } = await offered()
    const [other] = await scene.join(1)
    expect((await device.call('deploymentBase/1000000001')).statusCode).toBe(404)
    expect((await device.call('deploymentBase/0')).statusCode).toBe(404)
    expect((await other?.call(`deploymentBase/${action}`))?.statusCode).toBe(404)
    await device.feedback(action, 'closed', { finished: 'success' })
    expect((await device.call(`deploymentBase/${action}`)).statusCode).toBe(404)
  })

  it('names what happened to the action, newest first, if the client asks', async () => {
    const { device, action } = await offered()
    await device.feedback(action, 'proceeding', { details: ['Downloaded 20%'] })
    const { actionHistory } = (await device.call(`deploymentBase/${action}?actionHistory=2`)).json()
    expect(actionHistory).toEqual({ status: 'DOWNLOADING', messages: ['Downloaded 20%', 'update accepted'] })
  })
})

describe('POST feedback', () => {
  it('200 for an accepted report without a body, and the same report counts once', async () => {
    const { device, action } = await offered()
    for (let n = 0; n < 3; n++) {
      const answer = await device.feedback(action, 'proceeding', { details: ['Downloaded 30%'] })
      expect([answer.statusCode, answer.payload]).toEqual([200, ''])
    }
    const row = await device.row()
    expect(await eventsOf(row.id)).toEqual(['update_offered', 'update_accepted', 'download_progress'])
    expect(row).toMatchObject({ updateState: 'downloading', updateProgress: 30 })
  })

  it('404 for an unknown and a foreign action', async () => {
    const { action } = await offered()
    const [other] = await scene.join(1)
    expect((await other?.feedback('1000000001', 'closed'))?.statusCode).toBe(404)
    expect((await other?.feedback(action, 'closed'))?.statusCode).toBe(404)
  })

  it('410 for a report of an ended action, but 200 for the one that closes it, which moves nothing', async () => {
    const { device, action } = await offered()
    await device.feedback(action, 'closed', { finished: 'failure', details: ['Signature verification failed'] })
    expect(await device.update()).toMatchObject({ state: 'failed', errorCode: 'signature_invalid' })
    expect((await device.feedback(action, 'proceeding')).statusCode).toBe(410)
    expect((await device.feedback(action, 'closed', { finished: 'success', time: 'late' })).statusCode).toBe(200)
    expect(await stateOf(device)).toBe('failed')
  })

  it('of an older action moves nothing, also after the failed devices were queued again', async () => {
    const { device, action: former, rolloutId } = await offered()
    await device.feedback(former, 'proceeding', { details: ['All Chunks Installed.'] })
    api.advance(3601)
    await scene.tick()
    expect(await stateOf(device)).toBe('timed_out')
    for (const [step, body] of [
      [steps.retryFailed, undefined],
      [steps.resumeRollout, { reason: 'The devices were switched off' }],
    ] as const) {
      const answer = await api.call(step, { rolloutId }, { as: scene.ines, ...(body && { body }) })
      expect(answer.status, answer.text).toBe(200)
    }
    const { action } = await device.poll()
    expect(action).toBe(String(Number(former) + 1))
    expect((await device.call(`deploymentBase/${former}`)).statusCode).toBe(404)
    expect((await device.feedback(former, 'proceeding', { details: ['Downloaded 10%'] })).statusCode).toBe(410)
    expect((await device.feedback(former, 'closed', { finished: 'failure' })).statusCode).toBe(200)
    expect(await stateOf(device)).toBe('offered')
    await device.feedback(action, 'closed', { finished: 'success' })
    expect(await stateOf(device)).toBe('claimed')
  })

  it('400 for a body that says nothing, 415 for CBOR', async () => {
    const { device, action } = await offered()
    const send = (payload: string, type = 'application/json') =>
      device.call(`deploymentBase/${action}/feedback`, { method: 'POST', payload, headers: { 'content-type': type } })
    for (const payload of ['', '{}', '[]', '{"status":{"execution":"dancing"}}', 'no JSON', '{"status":{"execution":7}}'])
      expect([payload, (await send(payload)).statusCode]).toEqual([payload, 400])
    expect((await send('x', 'application/cbor')).statusCode).toBe(415)
    expect(await stateOf(device)).toBe('offered')
  })

  it('reads execution and result from the broken JSON that SWUpdate sends with quotes in its error lines', async () => {
    const { device, action } = await offered()
    const payload =
      '{"id":"1","status":{"result":{"finished":"failure"},"execution":"closed","details":["[ERROR] : "foo.img" : HASH mismatch"]}}'
    const answer = await device.call(`deploymentBase/${action}/feedback`, { method: 'POST', payload })
    expect(answer.statusCode).toBe(200)
    expect(await device.update()).toMatchObject({ state: 'failed', errorCode: 'hash_mismatch' })
  })
})

describe('cancelAction', () => {
  const asked = async () => {
    const made = await offered()
    await made.device.feedback(made.action, 'proceeding')
    const { rolloutId } = made
    const cancelled = await api.call(steps.cancelRollout, { rolloutId }, { as: scene.ines, body: { mode: 'abort_all' } })
    expect(cancelled.status, cancelled.text).toBe(200)
    await scene.tick()
    return made
  }

  it('404 while nobody cancels, then 200 with the link in place of the deployment', async () => {
    const { device, action } = await offered()
    expect((await device.call(`cancelAction/${action}`)).statusCode).toBe(404)
    const made = await asked()
    const { links } = await made.device.poll()
    expect(Object.keys(links)).toEqual(['cancelAction'])
    const answer = await made.device.call(links.cancelAction?.href ?? '')
    expect([answer.statusCode, answer.json()]).toEqual([200, { id: made.action, cancelAction: { stopId: made.action } }])
  })

  it.each([
    ['closed', 'success'],
    ['closed', 'none'],
    ['canceled', 'success'],
  ])('%s/%s cancels the update', async (execution, finished) => {
    const { device, action } = await asked()
    expect((await device.feedback(action, execution, { finished, kind: 'cancelAction' })).statusCode).toBe(200)
    expect(await stateOf(device)).toBe('cancelled')
    expect((await device.poll()).links).toEqual({})
  })

  it.each([
    ['rejected', 'none'],
    ['closed', 'failure'],
  ])('%s/%s is noted: the link goes and the update continues', async (execution, finished) => {
    const { device, action } = await asked()
    expect((await device.feedback(action, execution, { finished, kind: 'cancelAction' })).statusCode).toBe(200)
    expect(Object.keys((await device.poll()).links)).toEqual(['deploymentBase'])
    expect(await stateOf(device)).toBe('downloading')
  })

  it.each([
    ['closed', 'success'],
    ['canceled', 'success'],
    ['rejected', 'none'],
  ])('%s/%s that nobody has asked for changes nothing', async (execution, finished) => {
    const { device, action } = await offered()
    await device.feedback(action, 'proceeding')
    const before = await stateOf(device)
    expect((await device.feedback(action, execution, { finished, kind: 'cancelAction' })).statusCode).toBe(200)
    expect(await stateOf(device)).toBe(before)
    expect(Object.keys((await device.poll()).links)).toEqual(['deploymentBase'])
  })

  it('404 for an answer about an unknown action', async () => {
    const [device] = await scene.join(1)
    expect((await device?.feedback('1000000001', 'closed', { kind: 'cancelAction' }))?.statusCode).toBe(404)
  })
})

describe('PUT configData', () => {
  it('200: merges by default, replaces and removes; names become lower-case, and surplus is dropped', async () => {
    const [device] = await scene.join(1)
    if (!device) throw new Error('no device')
    await device.put({ 'HW Board-Name': 'x'.repeat(600), sw_version: '1.0.0', '': 'nothing', '1st': 1 })
    expect((await device.row()).attributes).toEqual({
      hw_board_name: expect.stringMatching(/^x{511}…$/),
      sw_version: '1.0.0',
      x1st: '1',
    })
    await device.put({ sw_version: '' }, 'remove')
    expect(Object.keys((await device.row()).attributes).toSorted()).toEqual(['hw_board_name', 'x1st'])
    await device.put(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`key_${n}`, n])), 'replace')
    expect(Object.keys((await device.row()).attributes)).toHaveLength(100)
  })

  it('400 without data or with an unknown mode', async () => {
    const [device] = await scene.join(1)
    expect((await device?.call('configData', { method: 'PUT', payload: {} }))?.statusCode).toBe(400)
    expect((await device?.put({}, 'shuffle'))?.statusCode).toBe(400)
  })
})

describe('installedBase', () => {
  it('PUT 201 for another version, 200 for the same', async () => {
    const [device] = await scene.join(1, 'other')
    const put = (version: string) => device?.call('installedBase', { method: 'PUT', payload: { name: 'os', version } })
    expect([(await put('1.0.0'))?.statusCode, (await put('1.0.0'))?.statusCode, (await put('1.0.1'))?.statusCode]).toEqual([
      201, 200, 201,
    ])
  })

  it('GET 200 for the last action that succeeded, which the root of other clients names; else 404', async () => {
    const { device, action, release } = await offered('other', 'never')
    expect((await device.call(`installedBase/${action}`)).statusCode).toBe(404)
    await device.feedback(action, 'closed', { finished: 'success' })
    await device.put({ sw_version: release.display_version, boot_id: 'first' })
    expect(await stateOf(device)).toBe('succeeded')
    const { links } = await device.poll()
    const answer = await device.call(links.installedBase?.href ?? '')
    expect([answer.statusCode, answer.json().id]).toEqual([200, action])
  })
})

describe('confirmationBase', () => {
  it('200: users are not asked; 404 for an action, 200 to activate it, 409 to deactivate it', async () => {
    const { device, action } = await offered()
    const answer = await device.call('confirmationBase')
    expect([answer.statusCode, answer.json()]).toEqual([200, { autoConfirm: { active: true } }])
    expect((await device.call(`confirmationBase/${action}`)).statusCode).toBe(404)
    const post = (name: string) => device.call(`confirmationBase/${name}`, { method: 'POST', payload: {} })
    expect((await post('activateAutoConfirm')).statusCode).toBe(200)
    expect((await post('deactivateAutoConfirm')).statusCode).toBe(409)
  })
})

describe('artifacts', () => {
  it('200 for the list, the whole file, its head and its MD5 sum', async () => {
    const { device, action } = await offered()
    const at = `softwaremodules/${action}/artifacts`
    expect((await device.call(at)).json()[0]).toMatchObject({ filename: 'app.bin', size: bytes.length })
    const head = await device.call(`${at}/app.bin`, { method: 'HEAD' })
    expect([head.statusCode, head.payload, head.headers['content-length']]).toEqual([200, '', String(bytes.length)])
    expect(await stateOf(device)).toBe('offered')
    const whole = await device.call(`${at}/app.bin`)
    expect([whole.statusCode, whole.rawPayload.equals(bytes)]).toEqual([200, true])
    expect(whole.headers).toMatchObject({
      etag: `"sha256-${createHash('sha256').update(bytes).digest('hex')}"`,
      'accept-ranges': 'bytes',
    })
    expect((await device.call(`${at}/app.bin.MD5SUM`)).payload).toBe(`${createHash('md5').update(bytes).digest('hex')}  app.bin`)
    expect(await device.update()).toMatchObject({ state: 'downloading', bytesDone: bytes.length, bytesTotal: bytes.length })
  })

  it('206 for a range, for one after the same version, and for several; 416 beyond the end; 200 after another version', async () => {
    const { device, action } = await offered()
    const get = (headers: Record<string, string>) => device.call(`softwaremodules/${action}/artifacts/app.bin`, { headers })
    const first = await get({ range: 'bytes=0-3' })
    expect([first.statusCode, first.rawPayload.equals(bytes.subarray(0, 4))]).toEqual([206, true])
    const rest = await get({ range: 'bytes=199000-', 'if-range': String(first.headers.etag) })
    expect([rest.statusCode, rest.headers['content-range']]).toEqual([206, 'bytes 199000-199999/200000'])
    expect((await get({ range: 'bytes=199000-', 'if-range': '"sha256-other"' })).statusCode).toBe(200)
    const beyond = await get({ range: 'bytes=200000-' })
    expect([beyond.statusCode, beyond.payload, beyond.headers['content-range']]).toEqual([416, '', 'bytes */200000'])
    const parts = await get({ range: 'bytes=0-9,20-29,199990-' })
    const [, boundary] = /^multipart\/byteranges; boundary=([a-z]{24})$/.exec(String(parts.headers['content-type'])) ?? []
    expect([parts.statusCode, parts.headers['content-length']]).toEqual([206, String(parts.rawPayload.length)])
    const part = (from: number, to: number) =>
      `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${from}-${to}/200000\r\n\r\n${bytes.subarray(from, to + 1).toString('latin1')}\r\n`
    expect(parts.rawPayload.toString('latin1')).toBe(`${part(0, 9)}${part(20, 29)}${part(199_990, 199_999)}--${boundary}--\r\n`)
    expect(await device.update()).toMatchObject({ bytesDone: bytes.length })
  })

  it('HEAD has the length of the whole file, also with a range, and 304 for the version that the client has', async () => {
    const { device, action } = await offered()
    const at = `softwaremodules/${action}/artifacts/app.bin`
    const head = await device.call(at, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, String(bytes.length)])
    const again = await device.call(at, { headers: { 'if-none-match': String(head.headers.etag) } })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
    expect((await device.call(at, { headers: { 'if-none-match': '"sha256-other"' } })).statusCode).toBe(200)
  })

  it('404 for a release that was revoked after the client got its link', async () => {
    const { device, action, release } = await offered()
    const at = `softwaremodules/${action}/artifacts/app.bin`
    expect((await device.call(at)).statusCode).toBe(200)
    await api.db.update(releases).set({ state: 'revoked' }).where(eq(releases.id, release.id))
    for (const name of [at, `${at}.MD5SUM`]) expect((await device.call(name)).statusCode).toBe(404)
  })

  it.each(['a'.repeat(64), 'x.MD5SUM'])('the file %s and its MD5 sum', async (name) => {
    const [device] = await scene.join(1)
    if (!device) throw new Error('no device')
    const release = await scene.release(bytes, 'after_install', undefined, name)
    await scene.start(release.id, [device])
    const { action } = await device.poll()
    const at = `softwaremodules/${action}/artifacts`
    expect((await device.call(`${at}/${name}`)).rawPayload.equals(bytes)).toBe(true)
    const sum = `${createHash('md5').update(bytes).digest('hex')}  ${name}`
    expect((await device.call(`${at}/${name}.MD5SUM`)).payload).toBe(sum)
  })

  it('a device that was deleted and registers itself again gets its files at once', async () => {
    const { token } = await scene.gateway()
    const device = scene.controller('again', `GatewayToken ${token}`)
    const download = async () => {
      await device.poll()
      const release = await scene.release(bytes)
      await scene.start(release.id, [device])
      const { action } = await device.poll()
      return (await device.call(`softwaremodules/${action}/artifacts/app.bin`)).statusCode
    }
    expect(await download()).toBe(200)
    const { id, revision } = await device.row()
    const deleted = await api.call(deleteDevice, { deviceId: id }, { as: scene.ines, headers: { 'if-match': `"${revision}"` } })
    expect(deleted.status, deleted.text).toBe(204)
    expect(await download()).toBe(200)
  })

  it('404 without a body for an unknown file, and after the action has ended in a failure', async () => {
    const { device, action } = await offered()
    const at = `softwaremodules/${action}/artifacts`
    const missing = await device.call(`${at}/other.bin`)
    expect([missing.statusCode, missing.payload]).toEqual([404, ''])
    await device.feedback(action, 'closed', { finished: 'failure' })
    expect((await device.call(`${at}/app.bin`)).statusCode).toBe(404)
  })

  it('takes what a streaming RAUC says about its system, but not its machine id', async () => {
    const { device, action } = await offered('rauc')
    const headers = { range: 'bytes=0-3', 'rauc-boot-id': 'b1', 'rauc-system-version': '7', 'rauc-machine-id': 'secret' }
    expect((await device.call(`softwaremodules/${action}/artifacts/app.bin`, { headers })).statusCode).toBe(206)
    const { attributes } = await device.row()
    expect(attributes).toMatchObject({ 'rauc.boot_id': 'b1', 'rauc.system_version': '7' })
    expect(JSON.stringify(attributes)).not.toContain('secret')
  })
})

describe('what confirms an update', () => {
  it('is never the success that a client reports: it is a claim', async () => {
    const { device, action, rolloutId } = await offered()
    await device.feedback(action, 'closed', { finished: 'success' })
    expect(await stateOf(device)).toBe('claimed')
    expect((await scene.rollout(rolloutId)).counts).toMatchObject({ succeeded: 0, claimed: 1 })
  })

  it('is the target version after a restart', async () => {
    const { device, action, release } = await offered()
    await device.feedback(action, 'closed', { finished: 'success' })
    await device.put({ sw_version: release.display_version, boot_id: 'first' })
    expect(await stateOf(device)).toBe('claimed')
    await device.put({ sw_version: release.display_version, boot_id: 'second' })
    expect(await stateOf(device)).toBe('succeeded')
    expect(await device.row()).toMatchObject({ installedReleaseId: release.id, installedConfirmed: true })
  })

  it('is not the text that the device reported before the offer, too', async () => {
    const { device, release } = await offered()
    const [other] = await scene.join(1)
    if (!other) throw new Error('no device')
    const next = await scene.release(bytes)
    // A text of its own, before a release has it.
    const text = `1.0.${next.version + 1}`
    await other.put({ sw_version: text, boot_id: 'first' })
    const later = await scene.release(bytes)
    expect([later.display_version, await stateOf(device), release.id === later.id]).toEqual([text, 'offered', false])
    await scene.start(later.id, [other])
    const { action } = await other.poll()
    await other.feedback(action, 'closed', { finished: 'success' })
    await other.put({ sw_version: text, boot_id: 'second' })
    expect(await stateOf(other)).toBe('claimed')
  })

  it('another version after a restart means that the device fell back', async () => {
    const { device, action } = await offered()
    await device.feedback(action, 'proceeding', { details: ['All Chunks Installed.'] })
    expect(await stateOf(device)).toBe('rebooting')
    await device.feedback(action, 'closed', { finished: 'success' })
    await device.put({ sw_version: '1.0.0', boot_id: 'second' })
    expect(await device.update()).toMatchObject({ state: 'rolled_back', errorCode: 'boot_failed' })
  })

  it.each(['downloading', 'installing'])(
    'a restart while %s is none after the installation: the device reports the same version until it has installed',
    async (state) => {
      const { device, action } = await offered()
      const proceed = (line: string) => device.feedback(action, 'proceeding', { details: [line] })
      await proceed('Downloaded 40%')
      if (state === 'installing') await proceed('Installed Chunk.')
      // The power was cut: the client begins again.
      await device.put({ sw_version: '1.0.0', boot_id: 'second' })
      expect(await stateOf(device)).toBe(state)
      for (const line of ['Downloaded 100%', 'Installed Chunk.', 'All Chunks Installed.']) await proceed(line)
      await device.put({ sw_version: '1.0.0', boot_id: 'second' })
      expect(await stateOf(device)).toBe('rebooting')
      await device.put({ sw_version: '1.0.0', boot_id: 'third' })
      expect(await device.update()).toMatchObject({ state: 'rolled_back', errorCode: 'boot_failed' })
    },
  )

  it('a device that stays silent is not confirmed', async () => {
    const { device, action } = await offered()
    await device.feedback(action, 'closed', { finished: 'success' })
    api.advance(3601)
    await scene.tick()
    expect(await device.update()).toMatchObject({ state: 'timed_out', errorCode: 'not_confirmed' })
  })
})

it('the ids of the actions of a device increase by one, also after an action was deleted', async () => {
  const { device, action } = await offered()
  await device.feedback(action, 'closed', { finished: 'failure' })
  await api.db.delete(ddiActions).where(eq(ddiActions.id, Number(action)))
  const release = await scene.release(bytes)
  await scene.start(release.id, [device])
  expect((await device.poll()).action).toBe(String(Number(action) + 1))
})

/** The statuses of each resource besides those of authentication and limits, which have tables of their own. */
const statuses: Record<keyof typeof ddi, number[]> = {
  root: [200],
  deploymentBase: [200, 404],
  deploymentFeedback: [200, 400, 404, 410, 415],
  cancelAction: [200, 404],
  cancelFeedback: [200, 404],
  putConfigData: [200, 400],
  installedBase: [200, 404],
  putInstalledBase: [200, 201],
  confirmationBase: [200],
  confirmation: [404],
  activateAutoConfirm: [200],
  deactivateAutoConfirm: [409],
  artifacts: [200],
  artifact: [200, 206, 304, 404, 416],
}

it('the tests above have seen every status of every resource, and no other', () => {
  const isOf = ({ path }: Endpoint) => {
    const form = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
    return (asked: string) => form.test(asked)
  }
  // A fixed segment is more specific than a parameter.
  const byLength = (Object.entries(ddi) as [string, Endpoint][]).toSorted(
    ([, a], [, b]) => a.path.split(':').length - b.path.split(':').length,
  )
  const seen = Object.fromEntries(byLength.map(([name]) => [name, new Set<number>()]))
  for (const { method, path, status } of scene.answered) {
    const asked = method === 'HEAD' ? 'GET' : method
    const [name = ''] = byLength.find(([, endpoint]) => endpoint.method === asked && isOf(endpoint)(path)) ?? []
    seen[name]?.add(status)
  }
  const listed = Object.entries(seen).map(([name, found]) => [name, [...found].toSorted((a, b) => a - b)])
  expect(Object.fromEntries(listed)).toEqual(statuses)
})
