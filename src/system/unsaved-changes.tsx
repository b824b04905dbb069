import { confirm } from './modals/confirm'
import type { Modals } from './modals/modals'

/** Esc and the scrim mean: stay. */
export const confirmLeaving = (modals: Modals) =>
  confirm(modals, {
    title: 'Leave without saving?',
    text: 'What you typed on this page is not saved and will be lost.',
    accept: 'Leave',
    decline: 'Stay',
    danger: true,
  })

export const confirmClosing = (modals: Modals) =>
  confirm(modals, {
    title: 'Close without saving?',
    text: 'What you typed in this window is not saved and will be lost.',
    accept: 'Close',
    decline: 'Stay',
    danger: true,
  })
