import { confirm } from './modals/confirm'
import type { Modals } from './modals/modals'

/** Esc and the scrim mean: stay. */
const confirmLoss = (accept: 'Leave' | 'Close', place: string) => (modals: Modals) =>
  confirm(modals, {
    title: `${accept} without saving?`,
    text: `What you typed ${place} is not saved and will be lost.`,
    accept,
    decline: 'Stay',
    danger: true,
  })

export const confirmLeaving = confirmLoss('Leave', 'on this page')
export const confirmClosing = confirmLoss('Close', 'in this window')
