import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createApi } from './api/client'
import { createQueryClient } from './api/query-client'
import { App } from './app/app'
import { bridge } from './app/bridge'
import { dropLoadedPreloads } from './app/drop-loaded-preloads'
import { readEnvironment } from './app/environment'
import { firstPaint } from './app/first-paint'
import { fetchPage, prefetchFirstRequests } from './app/prefetch-first-requests'
import { createConsoleRouter } from './app/router'
import { registerPaletteShortcut } from './system/palette-state'
import { inspection } from './system/inspection'
import { createSessionStore } from './system/session/session-store'
import { createSystem, startSystem } from './system/system'

dropLoadedPreloads(document.head)
const environment = readEnvironment(document, window.location.origin)
const session = createSessionStore(window)
const api = createApi({
  base: environment.api,
  token: session.token,
  onRefused: (refusal) => system.refused(refusal),
  onAnswered: (headers) => system.lowSpace.answered(headers),
})
const queryClient = createQueryClient()
const system = createSystem({ environment, api, queryClient, session })
prefetchFirstRequests(system)
registerPaletteShortcut(window, system)

const router = createConsoleRouter({ api, queryClient, system })
fetchPage(router)
bridge(system, router)
system.analytics.follow(router)
startSystem(system)

if (import.meta.env.DEV && inspection)
  void import('./app/inspector/open-inspector').then(({ openInspector }) => openInspector(inspection))

const element = document.querySelector('#root')
if (!element) throw new Error('The page has no #root')
// Not awaited here: the first page is in this module, and could never load while the module still waits for it.
void firstPaint(system, router).then(() =>
  createRoot(element).render(
    <StrictMode>
      <App system={system} router={router} />
    </StrictMode>,
  ),
)
