import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { foreignNames, foreignOrigins } from '../tests/support/origins'
import { readConfig } from './core/config'
import { buildConsole } from './console'
import { createLog } from './core/log'

const html =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Teasel</title></head><body><div id="root"></div></body></html>'
const code = 'console.log(1)\n'
const config = readConfig({ TEASEL_API_PORT: '18080', TEASEL_SIGN_IN_PORT: '13000' })
const log = createLog('silent', { write: () => {} })

let directory: string
let app: ReturnType<typeof buildConsole>

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-console-'))
  await mkdir(join(directory, 'assets'))
  await mkdir(join(directory, '.vite'))
  await writeFile(join(directory, 'index.html'), html)
  await writeFile(join(directory, 'assets/index-a1.js'), code)
  await writeFile(join(directory, 'assets/index-a1.js.br'), brotliCompressSync(code))
  await writeFile(join(directory, '.vite/manifest.json'), '{}')
  app = buildConsole({ config, log, directory })
})
afterEach(async () => {
  await app.close()
  await rm(directory, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { host: 'localhost:5173', ...headers } })

describe('the index page', () => {
  it.each(['/', '/index.html', '/projects', '/organizations/org_1/projects/x.y?sort=name'])(
    'answers %s and must be revalidated each time',
    async (url) => {
      const answer = await get(url, { accept: 'text/html' })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' })
      expect((await get(url, { 'if-none-match': String(answer.headers.etag) })).statusCode).toBe(304)
    },
  )

  it('contains the URLs of the other hosts and the build id', async () => {
    const [, content = ''] = /<meta name="teasel" content="([^"]*)">/.exec((await get('/')).body) ?? []
    const told: unknown = JSON.parse(content.replaceAll('&quot;', '"'))
    expect(told).toEqual({
      api: 'http://localhost:18080',
      signIn: 'http://localhost:13000',
      environment: 'local',
      price: 'price_test_production',
      portal: 'http://localhost:13000/billing',
      links: {},
      build: expect.stringMatching(/^[0-9a-f]{12}$/),
    })
  })

  it('is sent compressed to clients that accept it', async () => {
    const plain = await get('/')
    const packed = await get('/', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body)
    expect((await get('/', { 'accept-encoding': 'br;q=0' })).headers['content-encoding']).toBeUndefined()
  })

  it('F-10: is the new one as soon as a new build replaces it', async () => {
    const before = await get('/')
    await writeFile(join(directory, 'index.html'), html.replace('Teasel', 'Teasel two'))
    const after = await get('/')
    expect(after.body).toContain('Teasel two')
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })
})

describe('files', () => {
  it('are immutable under /assets/ and sent as they were compressed at build time', async () => {
    const answer = await get('/assets/index-a1.js', { 'accept-encoding': 'br' })
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(code)
    expect((await get('/assets/index-a1.js')).body).toBe(code)
  })

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml; charset=utf-8'],
    ['/assets/index-a1.js', 'application/javascript; charset=utf-8'],
    ['/assets/index-a1.css', 'text/css; charset=utf-8'],
    ['/assets/gone.js', 'text/plain; charset=utf-8'],
  ])('%s names its type and its charset: %s', async (url, type) => {
    await writeFile(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    await writeFile(join(directory, 'assets/index-a1.css'), 'p{}')
    for (const encoding of ['identity', 'br'])
      expect((await get(url, { 'accept-encoding': encoding })).headers['content-type']).toBe(type)
  })

  it.each([
    ['/assets/gone-b2.js', { accept: '*/*' }],
    ['/assets/gone-b2.js', { accept: 'text/html' }],
    ['/gone.svg', { accept: 'image/*' }],
    ['/gone.js', { accept: '*/*', 'sec-fetch-dest': 'script' }],
    ['/.vite/manifest.json', { accept: 'application/json' }],
    ['/assets/..%2f..%2f..%2fetc%2fpasswd', { accept: '*/*' }],
    ['/assets/', { accept: 'text/html' }],
    ['/assets', { accept: '*/*', 'sec-fetch-dest': 'script' }],
    ['/assets/%00', { accept: '*/*' }],
  ])('F-10: %s is missing, and never the index page', async (url, headers) => {
    const answer = await get(url, headers)
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    expect(answer.statusCode).toBeLessThan(500)
    expect(answer.body).not.toContain('<html')
  })
})

describe('T-22, T-03, T-09: every answer carries the security headers', () => {
  it.each([
    ['/', 200],
    ['/healthz', 200],
    ['/assets/index-a1.js', 200],
    ['/assets/gone.js', 404],
    ['/%', 400],
  ])('%s answers %i', async (url, status) => {
    const answer = await get(url)
    expect(answer.statusCode).toBe(status)
    const policy = String(answer.headers['content-security-policy']).split('; ')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).toContain("connect-src 'self' http://localhost:18080")
    expect(policy.join()).not.toMatch(/unsafe|\*/)
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
  })

  it('on a refused method and on a refused name too', async () => {
    const posted = await app.inject({ method: 'POST', url: '/', headers: { host: 'localhost:5173' } })
    expect(posted.statusCode).toBe(404)
    expect(posted.headers['x-content-type-options']).toBe('nosniff')
    const foreign = await get('/', { host: 'rebound.example.com' })
    expect(foreign.statusCode).toBe(421)
    expect(foreign.headers['content-security-policy']).toContain("default-src 'none'")
    expect(foreign.body).not.toContain('<html')
  })
})

describe('T-14: no other origin may read the console, and it has no other name', () => {
  const paths = ['/', '/projects', '/assets/index-a1.js', '/assets/gone.js', '/%']
  it('on any path, to 40 origins and more', async () => {
    for (const origin of foreignOrigins('http://localhost:5173'))
      for (const path of paths) {
        const names = Object.keys((await get(path, { origin })).headers).filter((name) => name.startsWith('access-control-'))
        expect([origin, path, names]).toEqual([origin, path, []])
      }
  })
  it('by any of the names that are not its own', async () => {
    for (const host of foreignNames('localhost:5173'))
      for (const path of ['/', '/projects', '/assets/index-a1.js', '/assets/gone.js'])
        expect([host, path, (await get(path, { host })).statusCode]).toEqual([host, path, 421])
  })
})
