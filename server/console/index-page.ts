import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { portalOf, priceOf } from '../accounts/billing/stripe'
import type { Config } from '../core/config'
import type { Encoding } from '../core/http/encoding'

export type Page = { etag: string; bodies: Record<Encoding, Buffer> }

const digest = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length)

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Writes the URLs of the hosts into the page; they replace the choice by origin, so that any port can be used. */
export const withEnvironment = (html: string, config: Config): string => {
  const { api, 'sign-in': signIn } = config.urls
  // The page names its assets by their hashes, so its own hash names the build.
  const content = {
    api,
    signIn,
    environment: config.environment,
    build: digest(html, 12),
    analytics: config.analytics,
    links: config.links,
    price: priceOf(config),
    portal: portalOf(config),
  }
  const head = [
    `<meta name="teasel" content="${escaped(JSON.stringify(content))}">`,
    `<link rel="preconnect" href="${escaped(api)}" crossorigin>`,
  ]
  return html
    .replace(/<meta name="teasel"[^<>]*>/, '')
    .replace(/<head[^<>]*>(\s*<meta charset[^<>]*>)?/i, (start) => start + head.join(''))
}

const made = async (html: string, config: Config): Promise<Page> => {
  const text = withEnvironment(html, config)
  const identity = Buffer.from(text)
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)])
  return { etag: `"${digest(text, 32)}"`, bodies: { br, gzip: zipped, identity } }
}

/** The index page, cached, and read again when a new build replaces the file (F-10). */
export const indexPage = (path: string, config: Config): (() => Promise<Page>) => {
  let known: { mark: string; page: Promise<Page> } | undefined
  return async () => {
    const { mtimeMs, ino } = await stat(path)
    const mark = `${mtimeMs} ${ino}`
    if (known?.mark !== mark) known = { mark, page: readFile(path, 'utf8').then((html) => made(html, config)) }
    return known.page
  }
}
