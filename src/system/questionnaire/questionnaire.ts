import { MutationObserver, type QueryClient } from '@tanstack/react-query'
import { type ActorRefFrom, createActor, fromPromise } from 'xstate'
import { onboardingKey } from '../../../contract/accounts/interstitials'
import { tagOf } from '../../../contract/accounts/sessions'
import { questionnaireMachine, type QuestionnaireStatus } from '../../../machines/questionnaire/questionnaire.machine'
import type { Api } from '../../api/client'
import { recordQuestionnaireMutation, saveProfileMutation } from '../../api/mutations/accounts/profile'
import { interstitialsQuery } from '../../api/queries/accounts/interstitials'
import { selfQuery } from '../../api/queries/accounts/self'
import { actorOptions } from '../inspection'
import { type Modals, modalsOf } from '../modals/modals'
import type { SessionStore } from '../session/session-store'
import { type Answers, blank, formOf, startingAnswers } from './answers'
import { createQuestionnaireStorage } from './questionnaire-storage'

type Parts = { api: Api; queryClient: QueryClient; session: SessionStore; modals: Modals }

export type LoadedQuestionnaire = {
  actor: ActorRefFrom<typeof questionnaireMachine>
  /** R9: the unsaved draft; the first time, the name from the sign-up. */
  draft: () => Answers
  submit: (answers: Answers) => void
}

export const createQuestionnaire = ({ api, queryClient, session, modals }: Parts): LoadedQuestionnaire => {
  const kept = createQuestionnaireStorage(window)
  let answers = blank
  const user = () => queryClient.getQueryData(selfQuery(api).queryKey)
  const userId = () => user()?.id ?? ''
  const sessionTag = () => tagOf(session.token() ?? '')
  const actor = createActor(
    questionnaireMachine.provide({
      actors: {
        standing: fromPromise<QuestionnaireStatus, void>(async () => {
          if (kept.isDismissed(sessionTag())) return 'dismissed'
          const seen = await queryClient.fetchQuery(interstitialsQuery(api))
          return seen.some((one) => one.interstitial_id === onboardingKey) ? 'seen' : 'due'
        }),
        recording: fromPromise<void, void>(async () => {
          await new MutationObserver(queryClient, recordQuestionnaireMutation(api)).mutate()
        }),
        saving: fromPromise<void, void>(async () => {
          const writer = userId()
          await new MutationObserver(queryClient, saveProfileMutation(api)).mutate(formOf(answers))
          kept.dropDraft(writer)
        }),
      },
      actions: {
        keepDraft: () => kept.keepDraft(userId(), answers),
        rememberDismissal: () => kept.dismiss(sessionTag()),
      },
    }),
    actorOptions,
  )
  actor.start()
  const stack = modalsOf(modals)
  if (stack.getSnapshot().hasTag('visible')) actor.send({ type: 'stage.taken' })
  stack.on('stage.taken', (event) => actor.send(event))
  stack.on('stage.freed', (event) => actor.send(event))
  return {
    actor,
    draft: () => kept.draft(userId()) ?? startingAnswers(user()?.full_name ?? ''),
    submit: (written) => {
      answers = written
      actor.send({ type: 'questionnaire.submitted' })
    },
  }
}
