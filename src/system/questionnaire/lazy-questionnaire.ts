import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/client'
import { fetchPart } from '../lazy'
import type { SessionStore } from '../session-store'
import { quiet } from '../uploads/lazy-uploads'
import type { LoadedQuestionnaire } from './questionnaire'

/** The questionnaire, which comes after the first screen. */
export type Questionnaire = {
  tell: (event: { type: 'session.opened' | 'session.closed' }) => void
  /** Undefined until it has come. */
  current: () => LoadedQuestionnaire | undefined
  subscribe: (changed: () => void) => () => void
}

export const createLazyQuestionnaire = (parts: { api: Api; queryClient: QueryClient; session: SessionStore }): Questionnaire => {
  const listeners = new Set<() => void>()
  let loaded: LoadedQuestionnaire | undefined
  let open = false
  const load = async () => {
    await quiet(parts.queryClient)
    const { createQuestionnaire } = await fetchPart(() => import('./questionnaire'))
    loaded ??= createQuestionnaire(parts)
    for (const listener of listeners) listener()
    // The session may have ended meanwhile.
    if (open) loaded.actor.send({ type: 'session.opened' })
  }
  return {
    tell: (event) => {
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
