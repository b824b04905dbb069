import { createHash } from 'node:crypto'
import { product } from '../../contract/core/limits'
import type { Config } from '../core/config'
import { html, type Markup } from '../core/html'
import { mark, illustration } from './status-page'
import { script, style } from './style'

const named = (text: string, name: string, ending: string) => ({
  path: `/${name}.${createHash('sha256').update(text).digest('hex').slice(0, 10)}.${ending}`,
  text,
})

/** Assets of the pages, by names that change with their content. */
export const assets = { style: named(style, 'sign-in', 'css'), script: named(script, 'sign-in', 'js') }

export const shapes = {
  error: html`<svg class="shape-error" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
    <path fill="currentColor" stroke="none" d="M3.9 1h4.2L11 3.9v4.2L8.1 11H3.9L1 8.1V3.9z" />
    <path stroke="var(--glyph)" d="m4.2 4.2 3.6 3.6M7.8 4.2 4.2 7.8" />
  </svg>`,
  info: html`<svg class="shape-info" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
    <rect x="1" y="1" width="10" height="10" rx="2" fill="currentColor" stroke="none" />
    <path stroke="var(--glyph)" d="M6 5.4v3.2M6 3.3v.1" />
  </svg>`,
}

type Page = { title: string; main: Markup; wide?: boolean }

/** A whole page: logo, form, environment, and the illustration. */
export const page = ({ environment }: Pick<Config, 'environment'>, { title, main, wide }: Page): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${product.name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.style.path}" />
        <script src="${assets.script.path}" defer></script>
      </head>
      <body>
        <div class="page">
          <header><a class="brand" href="/">${mark}${product.name}</a></header>
          <main class="${wide ? 'wide' : ''}">${main}</main>
          ${environment !== 'production' && html`<footer class="where">${shapes.info}${environment}</footer>`}
        </div>
        ${illustration}
      </body>
    </html>`.text
