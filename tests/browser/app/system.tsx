import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { onTestFinished } from 'vitest'
import type { Environment } from '../../../src/system/environment'
import { createApi } from '../../../src/api/client'
import { createSessionStore } from '../../../src/system/session/session-store'
import { createSystem, type System, SystemProvider } from '../../../src/system/system'
import '../../../src/theme/theme.css'
import '../../../src/ui/rest'

const environment: Environment = {
  name: 'local',
  api: `${window.location.origin}/no-api`,
  signIn: `${window.location.origin}/no-sign-in`,
  build: 'test',
  beta: true,
  links: { docs: '#', terminal: '#', community: '#', feedback: '#' },
  price: 'price',
  portal: '#',
  analytics: null,
}

/** The real system on a test page; nothing is started, so that the test controls it. */
export const makeSystem = (queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })): System => {
  const session = createSessionStore(window)
  const api = createApi({ base: environment.api, token: session.token, onRefused: (refusal) => system.refused(refusal) })
  const system = createSystem({ environment, api, queryClient, session })
  return system
}

export const mount = (system: System, children: ReactNode) => {
  const element = document.body.appendChild(document.createElement('div'))
  const root = createRoot(element)
  root.render(
    <SystemProvider value={system}>
      <QueryClientProvider client={system.queryClient}>{children}</QueryClientProvider>
    </SystemProvider>,
  )
  onTestFinished(() => {
    root.unmount()
    element.remove()
  })
}
