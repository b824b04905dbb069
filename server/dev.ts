import { createServer } from 'vite'
import { readConfig } from './core/config'
import { withEnvironment } from './console/index-page'
import { root } from './core/root'

const config = readConfig()

// The same URLs in the page as from the production host, so that changed ports work here too.
const vite = await createServer({
  root,
  plugins: [{ name: 'teasel-environment', transformIndexHtml: (html) => withEnvironment(html, config) }],
  server: { host: config.bind, port: config.ports.console, strictPort: true },
})
await vite.listen()
process.stdout.write(`console: ${config.urls.console}\n`)
