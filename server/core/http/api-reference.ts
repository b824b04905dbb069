import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { apiDescription } from '../../../contract/api-description'
import { product } from '../../../contract/core/limits'
import { root } from '../root'
import type { Api } from './api'
import { encodingFor } from './encoding'
import { notFound } from './refuse'

/** Made by `server/start/reference.mjs` from the package `@scalar/api-reference`, which the server does not load. */
const viewerPath = join(root, 'dist/reference/viewer.js')

/**
 * Scalar adds its styles as elements, which the policy admits by a nonce alone, and as attributes, which it admits as properties; a
 * library in it tries whether code may be made from text. It asks nobody but this host: no fonts, no telemetry, no proxy, and no requests
 * of its own. Its grey and its colours have too little contrast.
 */
const start = `'use strict';
const { nonce } = document.currentScript
const create = document.createElement
document.createElement = function (...given) {
  const element = create.apply(this, given)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}
const setAttribute = Element.prototype.setAttribute
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}
const NoCode = function () {
  throw new EvalError('No code is made from text here')
}
NoCode.prototype = Function.prototype
window.Function = NoCode
// Markup of samples has the number of their lines as a style.
if (window.trustedTypes) {
  const createPolicy = trustedTypes.createPolicy
  TrustedTypePolicyFactory.prototype.createPolicy = function (name, rules) {
    const createHTML = (...given) => rules.createHTML(...given).replace(/(<code [^>]*?) style="--line-[^"]*"/g, '$1')
    return createPolicy.call(this, name, { ...rules, ...(rules.createHTML && { createHTML }) })
  }
}
const customCss = \`
  .light-mode { --scalar-color-2: #4d4d4d; --scalar-color-3: #595959; --scalar-color-blue: #005f99; --scalar-color-green: #0a6640;
    --scalar-color-orange: #8f4700; --scalar-color-red: #a3141c; --scalar-color-purple: #5b3bb0; --scalar-color-yellow: #6f5200; }
  .dark-mode { --scalar-color-2: #c9c9c9; --scalar-color-3: #b3b3b3; --scalar-color-blue: #6cb6ff; --scalar-color-green: #6fdd8b;
    --scalar-color-orange: #ffb366; --scalar-color-red: #ff8a8a; --scalar-color-purple: #c4a7ff; --scalar-color-yellow: #f2d675; }
\`
addEventListener('DOMContentLoaded', () =>
  Scalar.createApiReference('#reference', {
    url: '${apiDescription.path}',
    customCss,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'direct',
  }),
)
`

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 10)

const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types vue dompurify',
  ].join('; ')

const page = (nonce: string, scripts: readonly string[]) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>API reference · ${product.name}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <link rel="icon" href="data:," />
    ${scripts.map((path) => `<script src="${path}" nonce="${nonce}" defer></script>`).join('\n    ')}
  </head>
  <body>
    <div id="reference"></div>
  </body>
</html>
`

const sendScript = (reply: FastifyReply, body: string | Buffer) =>
  reply.header('Cache-Control', 'public, max-age=31536000, immutable').type('text/javascript; charset=utf-8').send(body)

/** Shows the description of the API to people. Not in the contract: it is a page, and has no data of its own. */
export const apiReferenceRoutes = ({ app }: Pick<Api, 'app'>): void => {
  let known: Promise<string> | undefined
  // 404 where only the sources are.
  const findViewer = () =>
    (known ??= readFile(viewerPath).then(digest)).catch(() => {
      known = undefined
      return notFound()
    })
  const startPath = `/reference/start.${digest(start)}.js`

  app.get('/reference', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const viewer = `/reference/viewer.${await findViewer()}.js`
    // The first script prepares the page for the second one.
    return reply
      .header('Content-Security-Policy', policyWith(nonce))
      .type('text/html; charset=utf-8')
      .send(page(nonce, [startPath, viewer]))
  })
  app.get(startPath, async (_request, reply) => sendScript(reply, start))
  app.get<{ Params: { hash: string } }>('/reference/viewer.:hash.js', async (request, reply) => {
    if (request.params.hash !== (await findViewer())) notFound()
    const encoding = encodingFor(request.headers['accept-encoding'])
    const ending = { br: '.br', gzip: '.gz', identity: '' }[encoding]
    reply.header('Vary', 'Accept-Encoding')
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
    return sendScript(reply, await readFile(`${viewerPath}${ending}`))
  })
}
