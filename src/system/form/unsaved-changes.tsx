import type { Stake, StakeHolder } from '../../lib/stake'
import { confirm } from '../modals/confirm'
import type { Modals } from '../modals/modals'

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

/** Esc and the scrim mean: stay. If what is at stake changes behind the question, it asks anew; if nothing is left, it is withdrawn. */
const ask =
  ({ accept, texts }: Place) =>
  async (modals: Modals, { stake, watch }: StakeHolder): Promise<boolean> => {
    for (let asked = stake(); asked !== undefined; asked = stake()) {
      const about = asked
      const ended = new AbortController()
      const unwatch = watch(() => stake() !== about && ended.abort())
      const accepted = await confirm(modals, { ...texts[about], accept, decline: 'Stay', danger: true }, ended.signal)
      unwatch()
      // A busy button tells of no change: it is looked at again.
      if (!ended.signal.aborted && (!accepted || stake() === about)) return accepted
    }
    return false
  }

export const confirmLeaving = ask(page)
export const confirmClosing = ask(opened)
