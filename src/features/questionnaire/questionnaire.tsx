import { useSelector } from '@xstate/react'
import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../system/page/lazy'
import type { LoadedQuestionnaire } from '../../system/questionnaire/questionnaire'
import { useSystem } from '../../system/system'

const QuestionnaireDialog = lazyPart(() => import('./questionnaire-dialog').then((part) => part.QuestionnaireDialog))

const Shown = ({ questionnaire }: { questionnaire: LoadedQuestionnaire }) =>
  useSelector(questionnaire.actor, (snapshot) => snapshot.hasTag('visible')) ? (
    <Suspense>
      <QuestionnaireDialog questionnaire={questionnaire} />
    </Suspense>
  ) : null

/** §2: shown once. Its chart loads after the first screen, its styles only when it is shown. */
export const Questionnaire = () => {
  const { questionnaire } = useSystem()
  const loaded = useSyncExternalStore(questionnaire.subscribe, questionnaire.current)
  return loaded ? <Shown questionnaire={loaded} /> : null
}
