import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { minifySync, type Plugin } from 'vite'
import { repositoryPath } from './repository-path.ts'

/**
 * Sets the stored theme and the right shell before the first paint, by a separate script that the document waits for, allowed
 * by its hash.
 */
export const earlyTheme = (): Plugin => {
  const file = repositoryPath('src/theme/early-theme.js')
  const { code, errors } = minifySync(file, readFileSync(file, 'utf8'))
  if (errors.length > 0 || code === '') throw new Error(`early-theme: ${file} could not be minified: ${JSON.stringify(errors)}`)
  const fileName = `assets/early-theme-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
  return {
    name: 'early-theme',
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head' }],
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: code })
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${fileName}`, (_, response) => response.setHeader('content-type', 'text/javascript').end(code))
    },
  }
}
