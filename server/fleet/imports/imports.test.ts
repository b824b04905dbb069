import { sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as audit from '../../../contract/accounts/audit'
import { root } from '../../../contract/ddi/endpoints'
import { createDevice, devices } from '../../../contract/fleet/devices'
import * as contract from '../../../contract/fleet/device-imports'
import { decommissionDevice, deleteDevice, issueDeviceToken, restoreDevice } from '../../../contract/fleet/device-lifecycle'
import { pathOf } from '../../../contract/core/endpoint'
import { createTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { repetitions } from '../../../tests/support/counts'
import { nextId } from '../../core/ids'
import { hashOfImported } from '../../core/tokens/token'
import { deleteExpiredDeviceTokens } from '../devices/device-token.repository'
import { insertImportedDevices } from './repository'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
let ann: Person
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
})
afterAll(() => api.close())

type Query = { dry_run?: boolean; hardware_model?: string; file_name?: string }
let projects = 0
const newProject = () => api.project({ ownerId: ann.id }, `Project ${(projects += 1)}`)
const token = () => randomBytes(16).toString('hex')

const sendRows = (projectId: string, type: 'text/csv' | 'application/x-ndjson', text: string | Buffer, query: Query = {}) =>
  api.call(
    contract.importDevices,
    { projectId },
    { as: ann, rows: { text, type }, query: { hardware_model: 'gw', file_name: 'fleet.csv', ...query } },
  )
const sendCsv = (projectId: string, text: string | Buffer, query?: Query) => sendRows(projectId, 'text/csv', text, query)
const sendJson = (projectId: string, rows: readonly object[], query?: Query) =>
  sendRows(projectId, 'application/x-ndjson', rows.map((row) => JSON.stringify(row)).join('\n'), query)

const listDevices = async (projectId: string, query = {}) =>
  (await api.call(devices, { projectId }, { as: ann, query })).body.devices
const listImports = async (projectId: string) => (await api.call(contract.deviceImports, { projectId }, { as: ann })).body.imports
const poll = async (controllerId: string, secret: string) => {
  const answer = await api.app.inject({
    method: 'GET',
    url: pathOf(root.path, { tenant: 'DEFAULT', controllerId }),
    headers: { host: new URL(api.config.urls.api).host, authorization: `TargetToken ${secret}` },
  })
  return answer.statusCode
}
const faults = (errors: readonly contract.ImportError[]) => errors.map(({ line, field, code }) => [line, field, code])

describe('an import of devices', () => {
  it('creates devices whose clients authenticate with the tokens that they have, by CSV and by NDJSON', async () => {
    const projectId = await newProject()
    await api.call(createTag, { projectId }, { as: ann, body: { name: 'north', colour: 'sky' } })
    const [first, second] = [token(), token()]
    const csv = `controller_id,name,security_token,tags,attributes.hw_revision\r\ncam-1,"Camera, ""north""",${first},north,C\r\n`
    const made = await sendCsv(projectId, csv)
    expect(made.status, made.text).toBe(200)
    expect(made.body).toMatchObject({ lines: 1, created: 1, unchanged: 0, failed: 0, weak_tokens: 0, errors: [] })
    const row = { controller_id: 'cam-2', security_token: second, hardware_model: 'cam', attributes: { 'HW Revision': 'D' } }
    expect((await sendJson(projectId, [row])).body).toMatchObject({ created: 1 })
    const [one, two] = (await listDevices(projectId)).toSorted((a, b) => a.id.localeCompare(b.id))
    expect(one).toMatchObject({
      name: 'Camera, "north"',
      serial_number: 'cam-1',
      hardware_model: 'gw',
      protocol: 'ddi',
      lifecycle: 'active',
      enrollment: 'imported',
      connectivity: 'never_seen',
      attributes: { hw_revision: 'C' },
    })
    expect(one?.tags.map(({ name }) => name)).toEqual(['north'])
    expect(two).toMatchObject({ name: 'cam-2', hardware_model: 'cam', attributes: { hw_revision: 'D' } })
    expect(await Promise.all([poll('cam-1', first), poll('cam-2', second)])).toEqual([200, 200])
    // A token counts only with the id of its own controller.
    expect(await Promise.all([poll('cam-1', second), poll('cam-2', first), poll('cam-3', first)])).toEqual([401, 401, 401])
  })

  it('changes nothing in a dry run, and nothing when it is repeated', async () => {
    const projectId = await newProject()
    const rows = [{ controller_id: 'a', security_token: token() }, { controller_id: 'b' }]
    expect((await sendJson(projectId, rows, { dry_run: true })).body).toMatchObject({
      dry_run: true,
      import_id: null,
      created: 2,
      without_token: 1,
    })
    expect([await listDevices(projectId), await listImports(projectId)]).toEqual([[], []])
    expect((await sendJson(projectId, rows)).body).toMatchObject({ created: 2, unchanged: 0 })
    const again = await sendJson(projectId, [...rows, { controller_id: 'c' }])
    expect(again.body).toMatchObject({ created: 1, unchanged: 2, failed: 0 })
    expect((await sendJson(projectId, rows)).body).toMatchObject({ created: 0, unchanged: 2, import_id: null })
    const bare = await sendJson(projectId, rows, { hardware_model: undefined })
    expect(bare.body).toMatchObject({ created: 0, unchanged: 2, failed: 0 })
    expect(await listImports(projectId)).toHaveLength(2)
    const { entries } = (await api.call(audit.projectAuditLog, { projectId }, { as: ann })).body
    const written = entries.filter(({ action }) => action === 'device.import')
    expect(written.map(({ target, changes }) => [target.kind, target.name, changes])).toEqual([
      ['device_import', 'fleet.csv', [{ field: 'devices', before: 0, after: 1 }]],
      ['device_import', 'fleet.csv', [{ field: 'devices', before: 0, after: 2 }]],
    ])
  })

  it('names a line whose device is decommissioned, with and without a token, until the device is deleted', async () => {
    const projectId = await newProject()
    const rows = [{ controller_id: 'a', security_token: token() }, { controller_id: 'b' }]
    expect((await sendJson(projectId, rows)).body).toMatchObject({ created: 2 })
    for (const { id: deviceId } of await listDevices(projectId)) {
      const ended = await api.call(decommissionDevice, { deviceId }, { as: ann })
      expect(ended.status, ended.text).toBe(200)
    }
    const again = await sendJson(projectId, rows)
    expect(again.body).toMatchObject({ created: 0, unchanged: 0, failed: 2 })
    expect(again.body.errors.map(({ controller_id, field, code }) => [controller_id, field, code])).toEqual([
      ['a', 'controller_id', 'decommissioned'],
      ['b', 'controller_id', 'decommissioned'],
    ])
    for (const { id: deviceId, revision } of await listDevices(projectId))
      await api.call(deleteDevice, { deviceId }, { as: ann, headers: { 'if-match': `"${revision}"` } })
    expect((await sendJson(projectId, rows)).body).toMatchObject({ created: 2, failed: 0 })
  })

  it('names each line that it leaves out with its field and rule, and imports the others', async () => {
    const projectId = await newProject()
    const other = await newProject()
    const known = { controller_id: 'known', security_token: token() }
    await sendJson(other, [known])
    const agent = { name: 'Agent', hardware_model: 'gw', serial_number: 'agent-1' }
    expect((await api.call(createDevice, { projectId }, { as: ann, body: agent })).status).toBe(201)
    await sendJson(projectId, [{ controller_id: 'there', security_token: token() }])
    const issued = (await api.call(createDevice, { projectId }, { as: ann, body: { name: 'Own', hardware_model: 'gw' } })).body
    const { body } = await sendJson(projectId, [
      { controller_id: 'good', security_token: 'short' },
      { controller_id: 'has space' },
      { controller_id: 'good' },
      { controller_id: 'x1', name: 'AGENT' },
      { controller_id: 'x2', name: 'Good' },
      { controller_id: 'agent-1' },
      { controller_id: 'there', security_token: token() },
      { controller_id: 'there', hardware_model: 'cam' },
      known,
      { controller_id: 'x3', tags: ['nowhere'] },
      { controller_id: 'x4', security_token: issued.device_token },
      { controller_id: 'x5', security_token: 'with space' },
      { controller_id: 'x6', colour: 'red' },
      { name: 'Without id' },
    ])
    expect(faults(body.errors)).toEqual([
      [2, 'controller_id', 'controller_id'],
      [3, 'controller_id', 'duplicate'],
      [4, 'name', 'taken'],
      [5, 'name', 'duplicate'],
      [6, 'controller_id', 'taken'],
      [7, 'security_token', 'differs'],
      [8, 'hardware_model', 'differs'],
      [9, 'security_token', 'known'],
      [10, 'tags', 'unknown_tag'],
      [11, 'security_token', 'own_token'],
      [12, 'security_token', 'token'],
      [13, 'colour', 'unknown_field'],
      [14, 'controller_id', 'required'],
    ])
    expect(body).toMatchObject({ lines: 14, created: 1, failed: 13, weak_tokens: 1 })
  })

  it('requires a model of the project, in the line or for all lines', async () => {
    const projectId = await newProject()
    const { body } = await sendJson(projectId, [{ controller_id: 'a' }, { controller_id: 'b', hardware_model: 'gw' }], {
      hardware_model: undefined,
    })
    expect([faults(body.errors), body.created]).toEqual([[[1, 'hardware_model', 'required']], 1])
  })

  it('reads the files of spreadsheets: BOM, semicolons, CRLF, blank lines, cells that look like formulas', async () => {
    const projectId = await newProject()
    const csv = '\uFEFFcontroller_id;name\r\n\r\n=1+1;"=HYPERLINK(""http://a"")"\r\n@cmd;-2\r\n;\r\n'
    const { body } = await sendCsv(projectId, Buffer.from(csv))
    expect([body.created, faults(body.errors)]).toEqual([2, [[5, 'controller_id', 'required']]])
    const names = (await listDevices(projectId)).map(({ serial_number, name }) => [serial_number, name])
    expect(names.toSorted()).toEqual([
      ['=1+1', '=HYPERLINK("http://a")'],
      ['@cmd', '-2'],
    ])
  })

  it('reads what PostgreSQL exports as CSV from a table of devices', async () => {
    const projectId = await newProject()
    const secret = token()
    const client = await api.deps.pool.connect()
    const parts: Buffer[] = []
    const { connection } = client as unknown as { connection: EventEmitter }
    const keep = ({ chunk }: { chunk: Buffer }) => parts.push(chunk)
    connection.on('copyData', keep)
    const rows = `('cam-1', 'Gate "north", 1', '${secret}'), ('cam-2', 'Tür ä', NULL), ('cam 3', '', NULL)`
    const names = 'controller_id, name, security_token'
    await client.query(`COPY (SELECT * FROM (VALUES ${rows}) AS targets (${names})) TO STDOUT (FORMAT csv, HEADER)`)
    connection.off('copyData', keep)
    client.release()
    const { body } = await sendCsv(projectId, Buffer.concat(parts))
    expect([body.created, faults(body.errors)]).toEqual([2, [[4, 'controller_id', 'controller_id']]])
    const found = (await listDevices(projectId)).map(({ serial_number, name }) => [serial_number, name])
    expect(found.toSorted()).toEqual([
      ['cam-1', 'Gate "north", 1'],
      ['cam-2', 'Tür ä'],
    ])
    expect(await poll('cam-1', secret)).toBe(200)
  })

  it('leaves out lines that are too long, not UTF-8, or cannot be read', async () => {
    const projectId = await newProject()
    const long = 'x'.repeat(contract.importLimits.lineCharacters)
    const csv = await sendCsv(
      projectId,
      Buffer.concat([
        Buffer.from(`controller_id,name\na,${long}\nb,"two\nlines"\nc,`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('\nd,x,y\ne,\n"f'),
      ]),
    )
    expect(faults(csv.body.errors)).toEqual([
      [2, '', 'too_long'],
      [3, 'name', 'characters'],
      [5, '', 'encoding'],
      [6, '', 'cells'],
      [8, '', 'quote'],
    ])
    expect(csv.body.created).toBe(1)
    const json = await sendRows(projectId, 'application/x-ndjson', `{"controller_id":"g"}\n[]\nnull\n{"a":\n"${long}"\r\n`)
    expect([json.body.created, faults(json.body.errors)]).toEqual([
      1,
      [
        [2, '', 'json'],
        [3, '', 'json'],
        [4, '', 'json'],
        [5, '', 'too_long'],
      ],
    ])
  })

  it.each([
    ['nothing', '', 'columns'],
    ['only columns', 'controller_id\n', 'required'],
    ['no columns', 'cam-1,token\n', 'columns'],
    ['a column twice', 'controller_id,controller_id\na,b\n', 'columns'],
    ['no controller id', 'name\na\n', 'columns'],
    ['UTF-16', Buffer.from('controller_id\na\n', 'utf16le'), 'encoding'],
  ])('refuses a file with %s', async (_, file, code) => {
    const { status, error } = await sendCsv(await newProject(), file)
    expect([status, error.details[0]?.field, error.details[0]?.code]).toEqual([422, 'file', code])
  })

  it('refuses other types, and files above the number of lines', async () => {
    const projectId = await newProject()
    const json = { as: ann, rows: { text: '{}', type: 'application/json' as 'text/csv' } }
    expect((await api.call(contract.importDevices, { projectId }, json)).status).toBe(415)
    const many = `controller_id\n${'a\n'.repeat(contract.importLimits.lines + 1)}`
    const { status, error } = await sendCsv(projectId, many)
    expect([status, error.details[0]?.code]).toEqual([422, 'too_many'])
  })

  it('imports no device of a file that the plan has no room for', async () => {
    const dora = await api.person({ plan: 'developer' })
    const projectId = await api.project({ ownerId: dora.id })
    const rows = (count: number) => ({
      text: Array.from({ length: count }, (_, n) => `{"controller_id":"d${n}"}`).join('\n'),
      type: 'application/x-ndjson' as const,
    })
    const send = (count: number) =>
      api.call(contract.importDevices, { projectId }, { as: dora, rows: rows(count), query: { hardware_model: 'gw' } })
    const refused = await send(26)
    expect([refused.status, refused.error.code]).toEqual([402, 'plan_limit'])
    expect((await send(25)).body.created).toBe(25)
    expect((await send(25)).body).toMatchObject({ created: 0, unchanged: 25 })
    expect((await send(26)).status).toBe(402)
  })

  it('is undone for devices that have never contacted the server, and can be repeated and restored', async () => {
    const projectId = await newProject()
    const rows = ['a', 'b', 'c'].map((controller_id) => ({ controller_id, security_token: token() }))
    const { import_id } = (await sendJson(projectId, rows)).body
    expect(await poll('a', rows[0]?.security_token ?? '')).toBe(200)
    expect(await listImports(projectId)).toMatchObject([{ id: import_id, file_name: 'fleet.csv', devices: 3, seen: 1 }])
    expect(await listDevices(projectId, { import_id, connectivity: 'never_seen' })).toHaveLength(2)
    const undo = (project: string) =>
      api.call(contract.undoDeviceImport, { projectId: project, deviceImportId: import_id ?? '' }, { as: ann })
    expect((await undo(await newProject())).status).toBe(404)
    expect((await undo(projectId)).body).toEqual({ deleted: 2 })
    expect((await undo(projectId)).body).toEqual({ deleted: 0 })
    expect(await listImports(projectId)).toMatchObject([{ devices: 1, seen: 1 }])
    expect(await poll('b', rows[1]?.security_token ?? '')).toBe(401)
    const [restorable] = await listDevices(projectId, { deleted: 'true', q: 'c' })
    expect((await api.call(restoreDevice, { deviceId: restorable?.id ?? '' }, { as: ann })).status).toBe(200)
    expect((await sendJson(projectId, rows)).body).toMatchObject({ created: 1, unchanged: 2, failed: 0 })
    expect(await Promise.all(rows.map((row) => poll(row.controller_id, row.security_token)))).toEqual([200, 200, 200])
  })

  it('keeps the token of a device for its project after the token was revoked or expired, or its device was removed for good', async () => {
    const [projectId, other] = [await newProject(), await newProject()]
    const ids = ['revoked-1', 'expired-1', 'removed-1', 'gone-1']
    const rows = ids.map((controller_id) => ({ controller_id, security_token: token() }))
    const away = { controller_id: 'gone-1', security_token: rows[3]?.security_token }
    expect((await sendJson(projectId, rows.slice(0, 3))).body.created).toBe(3)
    const known = new Map((await listDevices(projectId)).map((one) => [one.serial_number, one]))
    const idOf = (serial: string) => known.get(serial)?.id ?? ''
    for (const [serial, overlap_s] of [
      ['revoked-1', 0],
      ['expired-1', 86_400],
    ] as const)
      await api.call(issueDeviceToken, { deviceId: idOf(serial) }, { as: ann, body: { overlap_s } })
    await deleteExpiredDeviceTokens(api.db, new Date(api.deps.clock().getTime() + 2 * 86_400_000))
    await api.ownerDb.execute(sql`delete from devices where id = ${idOf('removed-1')}`)
    const elsewhere = await sendJson(other, rows.slice(0, 3))
    expect(faults(elsewhere.body.errors)).toEqual([1, 2, 3].map((line) => [line, 'security_token', 'known']))
    // A device that is removed returns to its project by its token; one with another token now is not the one of the line.
    const again = await sendJson(projectId, rows.slice(0, 3))
    expect(faults(again.body.errors)).toEqual([1, 2].map((line) => [line, 'security_token', 'differs']))
    expect(again.body.created).toBe(1)

    const closed = await newProject()
    expect((await sendJson(closed, [away])).body.created).toBe(1)
    await api.ownerDb.execute(sql`delete from projects where id = ${closed}`)
    expect((await sendJson(other, [away])).body.created).toBe(1)
  })

  it.each([
    ['UTF-16, little-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16, big-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
  ])('names a file in %s as not UTF-8, and no character of it', async (_, encode) => {
    const projectId = await newProject()
    for (const [type, text] of [
      ['text/csv', 'controller_id,name\r\ncam-1,Camera\r\n'],
      ['application/x-ndjson', '{"controller_id":"cam-1"}\n'],
    ] as const) {
      const refused = await sendRows(projectId, type, encode(text))
      expect([refused.status, refused.error.details]).toEqual([
        422,
        [{ field: 'file', code: 'encoding', message: 'The file is not UTF-8. Save it as “CSV UTF-8”, or convert it to UTF-8' }],
      ])
    }
  })

  it('refuses a token that another project has imported since the lines were checked', async () => {
    const [one, other] = [await newProject(), await newProject()]
    const row = { controller_id: 'in-both', security_token: token() }
    expect((await sendJson(one, [row])).body.created).toBe(1)
    const device = {
      id: nextId(new Date()),
      name: 'in-both',
      serial_number: 'in-both',
      hardware_model: 'gw',
      attributes: {},
      attributes_hash: '',
      token: { hash: hashOfImported(row.controller_id, row.security_token), prefix: 'abc' },
      tag_ids: [],
    }
    await sendJson(other, [{ controller_id: 'first' }])
    const [begun] = await listImports(other)
    const made = { projectId: other, importId: begun?.id ?? '', batch: [device], now: new Date() }
    const taken = api.db.transaction((tx) => insertImportedDevices(tx, made))
    await expect(taken).rejects.toMatchObject({ cause: { code: '23505' } })
    expect(await poll(row.controller_id, row.security_token)).toBe(200)
    expect((await listDevices(one))[0]?.last_seen_at).not.toBeNull()
  })

  it('imports nothing when its sender goes away before the end', async () => {
    const projectId = await newProject()
    await api.app.listen({ port: 0, host: '127.0.0.1' })
    const address = api.app.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const text = Array.from({ length: 20_000 }, (_, n) => `{"controller_id":"gone-${n}"}`).join('\n')
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST ${pathOf(contract.importDevices.path, { projectId })}?hardware_model=gw HTTP/1.1\r\n` +
        `Host: ${new URL(api.config.urls.api).host}\r\nX-Session-Token: ${ann.token}\r\n` +
        `Content-Type: application/x-ndjson\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
    const isInserting = async () => {
      const { rows } = await api.ownerDb.execute<{ n: number }>(sql`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%jsonb_to_recordset%'
          and xact_start is not null`)
      return (rows[0]?.n ?? 0) > 0
    }
    await expect.poll(isInserting, { interval: 5, timeout: within(20_000) }).toBe(true)
    socket.destroy()
    // Waits for the lock of the project: the import has ended.
    expect((await sendJson(projectId, [{ controller_id: 'gone-0' }])).body).toMatchObject({ created: 1, unchanged: 0 })
    expect(await listImports(projectId)).toMatchObject([{ devices: 1 }])
  })

  it('takes 50,000 devices in one file', { timeout: within(120_000) }, async () => {
    const count = repetitions(5000, contract.importLimits.lines)
    const projectId = await newProject()
    const lines = Array.from({ length: count }, (_, n) => `cam-${n},${token()},C${n % 7}`)
    const csv = `controller_id,security_token,attributes.hw_revision\n${lines.join('\n')}\n`
    const { body } = await sendCsv(projectId, csv)
    expect(body).toMatchObject({ lines: count, created: count, failed: 0 })
    expect(await listImports(projectId)).toMatchObject([{ devices: count, seen: 0 }])
  })
})
