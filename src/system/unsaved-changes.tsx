import type { Stake } from './form'
import { confirm } from './modals/confirm'
import type { Modals } from './modals/modals'

type Wording = { title: string; text: string }
type Place = { accept: 'Leave' | 'Close'; texts: Record<Stake, Wording> }

const place = (accept: Place['accept'], where: string): Place => ({
  accept,
  texts: {
    typed: { title: `${accept} without saving?`, text: `What you typed ${where} is not saved and will be lost.` },
    saving: {
      title: `${accept} while this is being done?`,
      text: 'It is still carried out. Stay to see its answer, which is shown only here.',
    },
    unknown: {
      title: `${accept} without an answer?`,
      text: 'It is not known whether this was done. Stay and try it again to know: it is not done twice.',
    },
  },
})
const page = place('Leave', 'on this page')
const opened = place('Close', 'in this window')

/** Esc and the scrim mean: stay. `ended` withdraws the question, which then counts as declined. */
const ask =
  ({ accept, texts }: Place) =>
  (modals: Modals, stake: Stake, ended?: AbortSignal) =>
    confirm(modals, { ...texts[stake], accept, decline: 'Stay', danger: true }, ended)

export const confirmLeaving = ask(page)
export const confirmClosing = ask(opened)
