import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/client'
import type { FirstPage } from '../list/first-page'
import { fetchPart } from '../page/lazy'
import type { Modals } from '../modals/modals'
import type { SessionStore } from '../session/session-store'
import type { LoadedQuestionnaire } from './questionnaire'

/** The questionnaire, which loads after the first screen. */
export type Questionnaire = {
  send: (event: { type: 'session.opened' | 'session.closed' }) => void
  /** Undefined until it has loaded. */
  current: () => LoadedQuestionnaire | undefined
  subscribe: (changed: () => void) => () => void
}

type Parts = { api: Api; queryClient: QueryClient; session: SessionStore; firstPage: FirstPage; modals: Modals }

export const createLazyQuestionnaire = ({ firstPage, ...parts }: Parts): Questionnaire => {
  const listeners = new Set<() => void>()
  let loaded: LoadedQuestionnaire | undefined
  let open = false
  const load = async () => {
    await firstPage.settled
    const { createQuestionnaire } = await fetchPart(() => import('./questionnaire'))
    loaded ??= createQuestionnaire(parts)
    for (const listener of listeners) listener()
    // The session may have ended meanwhile.
    if (open) loaded.actor.send({ type: 'session.opened' })
  }
  return {
    send: (event) => {
      open = event.type === 'session.opened'
      if (loaded) loaded.actor.send(event)
      else if (open) void load()
    },
    current: () => loaded,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
