import type { PlanDraft } from './plan-draft'

/** What each part of the form gets: the draft, how to change it, and the error of each field from the form chart. */
export type PartProps = {
  draft: PlanDraft
  onChange: (changes: Partial<PlanDraft>) => void
  errorOf: (name: string) => string | undefined
  groupError: (name: string) => string | undefined
}

export const options = (values: readonly string[]) => values.map((value) => ({ value, label: value }))

/** The choices, and selected ones that are no longer among them. */
export const withChosen = (known: readonly { value: string; label: string }[], chosen: readonly string[]) => [
  ...known,
  ...options(chosen.filter((value) => !known.some((one) => one.value === value))),
]
