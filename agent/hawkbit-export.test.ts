import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { is } from 'superstruct'
import { ImportRow } from '../contract/fleet/device-imports'
import { freePort } from '../tests/support/free-port'
import { buildAgent } from './testing/agent-process'

// hawkBit's Management API as documented: a page has `content`, `total` and `size`; a limit above 500 counts as 500.
type Hawkbit = { targets: number; mayReadTokens: boolean; asked: string[] }
const state: Hawkbit = { targets: 0, mayReadTokens: true, asked: [] }
const idOf = (n: number) => `cam ${String(n).padStart(4, '0')}/x`
const targetOf = (n: number) => ({
  createdBy: 'admin',
  createdAt: 1_700_000_000_000,
  name: n === 0 ? 'Gate, "north"' : idOf(n),
  controllerId: idOf(n),
  updateStatus: 'in_sync',
  pollStatus: { lastRequestAt: 1_700_000_000_000, overdue: false },
  ...(state.mayReadTokens && { securityToken: `token${String(n).padStart(27, '0')}` }),
  _links: { self: { href: 'http://other/rest/v1/targets/x' } },
})

const pageOf = (all: readonly object[], query: URLSearchParams) => {
  const offset = Number(query.get('offset') ?? 0)
  const content = all.slice(offset, offset + Math.min(500, Number(query.get('limit') ?? 50)))
  return { content, total: all.length, size: content.length }
}

const answer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://hawkbit')
  state.asked.push(pathname)
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(body))
  }
  if (request.headers.authorization !== `Basic ${Buffer.from('DEFAULT\\reader:pässword').toString('base64')}`)
    return send(401, { status: 401 })
  const targets = Array.from({ length: state.targets }, (_, n) => targetOf(n))
  const [, id = ''] = /^\/rest\/v1\/targets\/([^/]+)\/attributes$/.exec(pathname) ?? []
  if (pathname === '/rest/v1/targets') return send(200, pageOf(targets, searchParams))
  if (id !== '') return send(200, { hwRevision: decodeURIComponent(id) })
  if (pathname === '/rest/v1/targettags')
    return send(
      200,
      pageOf(
        [
          { id: 7, name: 'Field Test', colour: 'red' },
          { id: 8, name: '?' },
        ],
        searchParams,
      ),
    )
  if (pathname === '/rest/v1/targettags/7/assigned') return send(200, pageOf(targets.slice(0, 2), searchParams))
  return send(404, { status: 404 })
}

let agent: string, out: string, server: Server, address: string, nobody: string
beforeAll(async () => {
  agent = await buildAgent()
  server = createServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  nobody = `http://127.0.0.1:${await freePort()}`
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  Object.assign(state, { targets: 3, mayReadTokens: true, asked: [] })
  out = join(mkdtempSync(join(tmpdir(), 'teasel-export-')), 'devices.ndjson')
})

type Given = { more?: string[]; url?: string; password?: string }
const run = async ({ more = [], url = address, password = 'pässword' }: Given = {}) => {
  const options = ['hawkbit-export', '--server', url, '--user', 'DEFAULT\\reader', '--out', out, ...more]
  const child = spawn(process.execPath, [agent, ...options], { env: { ...process.env, HAWKBIT_PASSWORD: password } })
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, stderr }
}
const rows = () =>
  readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImportRow)

describe('teasel-agent hawkbit-export', () => {
  it('writes every target of all pages with its token, for its owner only', async () => {
    state.targets = 1201
    const { status, stderr } = await run()
    expect([status, stderr.includes('Read 1201 of 1201 targets')]).toEqual([0, true])
    const written = rows()
    expect([written.length, new Set(written.map((row) => row.controller_id)).size]).toEqual([1201, 1201])
    expect(written[1200]).toEqual({ controller_id: idOf(1200), security_token: `token${'1200'.padStart(27, '0')}` })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect(state.asked.filter((path) => path === '/rest/v1/targets')).toHaveLength(3)
  })

  it('adds names, tags, the model and attributes in the form of the import, and names the tags to create', async () => {
    const { status, stderr } = await run({ more: ['--model', 'cam', '--attributes'] })
    expect(status, stderr).toBe(0)
    expect(rows()[0]).toEqual({
      controller_id: idOf(0),
      name: 'Gate, "north"',
      security_token: `token${'0'.repeat(27)}`,
      hardware_model: 'cam',
      tags: ['field-test'],
      attributes: { hwRevision: idOf(0) },
    })
    expect(rows()[2]).not.toHaveProperty('tags')
    // The ids of this server have characters that a path cannot have.
    expect(rows().map((row) => is({ ...row, controller_id: 'cam' }, ImportRow))).toEqual([true, true, true])
    expect(stderr).toContain('Tags to create in the project before the import: field-test')
  })

  it('writes an empty file for a server without targets', async () => {
    state.targets = 0
    expect((await run()).status).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe('')
  })

  it.each([
    ['a wrong password', { password: 'x' }, '401, the server refuses the user name or the password'],
    ['another path', { url: 'ADDRESS/console' }, '404, there is no Management API at this address'],
    ['no server', { url: 'NOBODY' }, 'ECONNREFUSED'],
  ])('says what is wrong with %s, and writes nothing', async (_, given: Given, message) => {
    const { status, stderr } = await run({
      ...given,
      ...(given.url && { url: given.url.replace('ADDRESS', address).replace('NOBODY', nobody) }),
    })
    expect(status).toBe(1)
    expect(stderr).toContain(message)
    expect(existsSync(out)).toBe(false)
  })

  it('says which permission is missing when the server sends no tokens, and writes nothing', async () => {
    state.mayReadTokens = false
    const { status, stderr } = await run()
    expect([status, stderr.includes('READ_TARGET_SECURITY_TOKEN'), existsSync(out)]).toEqual([1, true, false])
  })

  it('refuses a call without a password or with a wrong address', async () => {
    expect(await run({ password: '' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('HAWKBIT_PASSWORD') as string,
    })
    expect(await run({ url: 'hawkbit' })).toMatchObject({ status: 2, stderr: expect.stringContaining('--server') as string })
  })
})
