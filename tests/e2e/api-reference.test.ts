import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDocument } from '../../contract/openapi/document'
import { root } from '../../server/core/root'
import { createTestApi, type TestApi } from '../support/api'
import { freePort } from '../support/free-port'
import { type Browser, openBrowser, openContext } from './support/browser'

/** Findings of axe in Scalar itself, which its configuration cannot change. */
const findingsOfScalar = [
  'aria-allowed-attr',
  'aria-allowed-role',
  'aria-required-children',
  'button-name',
  'label-content-name-mismatch',
  'landmark-unique',
  'scrollable-region-focusable',
]
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let api: TestApi
let browser: Browser
beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  await api.app.listen({ port, host: '127.0.0.1' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await api.close()
})

it('the reference shows the endpoints in a strict policy, without a request to others', async () => {
  const { context, complaints } = await openContext(browser)
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  const page = await context.newPage()
  const answer = await page.goto(`${api.config.urls.api}/reference`)
  const policy = (await answer?.headerValue('content-security-policy')) ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  await page.getByRole('heading', { name: 'Teasel', exact: true }).waitFor()
  await page.getByRole('button', { name: 'tags' }).first().click()
  await page
    .getByRole('button', { name: /Create a tag/ })
    .first()
    .click()
  await page.getByText('/projects/{projectId}/tags').first().waitFor()
  expect(new URL(page.url()).hash).toContain('tag')
  expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([api.config.urls.api]))
  expect(asked.map((url) => new URL(url).pathname)).toContain('/openapi.json')
  await page.evaluate(`${axe};0`)
  const found = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string }[] }> } }
    ).axe.run()
    return violations.map(({ id }) => id)
  })
  expect(found.filter((id) => !findingsOfScalar.includes(id))).toEqual([])
  expect(complaints).toEqual([])
  await context.close()
})

it('its files are compressed, and kept by browsers under the hash of their content', async () => {
  const page = await (await fetch(`${api.config.urls.api}/reference`)).text()
  const paths = [...page.matchAll(/src="([^"]+)"/g)].map(([, path = '']) => path)
  expect(paths).toHaveLength(2)
  for (const path of paths) {
    const { status, headers } = await fetch(`${api.config.urls.api}${path}`, { headers: { 'accept-encoding': 'gzip, br' } })
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(headers.get('content-encoding')).toBe(path.includes('viewer') ? 'br' : null)
  }
  const other = await fetch(`${api.config.urls.api}${paths[1]?.replace(/\.\w+\.js$/, '.0000000000.js')}`)
  expect(other.status).toBe(404)
})

it('npm run openapi prints the document that the host serves', () => {
  const env = { ...process.env, TEASEL_API_URL: 'https://api.example.com', TEASEL_ENVIRONMENT: 'production' }
  const printed = execFileSync('npm', ['run', '--silent', 'openapi'], { cwd: root, env, encoding: 'utf8', maxBuffer: 1e8 })
  expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(createDocument('https://api.example.com'))))
})
