import { is } from 'superstruct'
import { storageKeys } from '../../lib/storage-keys'
import { Answers } from './answers'

/** The questionnaire's data in this browser: drafts under the user's id (R9), a dismissal under the session's tag (R10). */
export type QuestionnaireStorage = {
  draft: (userId: string) => Answers | undefined
  keepDraft: (userId: string, answers: Answers) => void
  dropDraft: (userId: string) => void
  isDismissed: (sessionTag: string) => boolean
  dismiss: (sessionTag: string) => void
}

const draftOf = (userId: string) => `${storageKeys.onboarding}.${userId}`

export const createQuestionnaireStorage = (page: Window): QuestionnaireStorage => {
  const attempt = <T>(what: () => T, otherwise: T): T => {
    try {
      return what()
    } catch {
      // Storage is full or blocked, or its value is not valid: the questionnaire starts without a draft.
      return otherwise
    }
  }
  return {
    draft: (userId) =>
      attempt(() => {
        const value: unknown = JSON.parse(page.localStorage.getItem(draftOf(userId)) ?? 'null')
        return is(value, Answers) ? value : undefined
      }, undefined),
    keepDraft: (userId, answers) => attempt(() => page.localStorage.setItem(draftOf(userId), JSON.stringify(answers)), undefined),
    dropDraft: (userId) => attempt(() => page.localStorage.removeItem(draftOf(userId)), undefined),
    isDismissed: (sessionTag) => attempt(() => page.localStorage.getItem(storageKeys.onboarding) === sessionTag, false),
    dismiss: (sessionTag) => attempt(() => page.localStorage.setItem(storageKeys.onboarding, sessionTag), undefined),
  }
}
