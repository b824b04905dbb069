import { type ChangeEvent, createContext, type RefObject, useContext, useEffect } from 'react'
import type { Stake, StakeHolder } from '../../lib/stake'

const textFields = 'textarea, input:not([type=checkbox], [type=radio])'

/** What a window holds: in which text fields something was typed, its forms, and its buttons that are busy. */
export const createWindowContents = () => {
  const fields = new Set<HTMLInputElement>()
  const holders = new Set<StakeHolder>()
  const element: RefObject<HTMLDivElement | null> = { current: null }
  const stakeOf = (): Stake | undefined => {
    const stakes = new Set([...holders].map(({ stake }) => stake()))
    // The button of a form is busy for a moment longer than its save.
    if (stakes.has('saving') || (holders.size === 0 && element.current?.querySelector('button[aria-busy=true]'))) return 'saving'
    if (stakes.has('unknown')) return 'unknown'
    return [...fields].some((field) => field.isConnected && field.value) ? 'typed' : undefined
  }
  const watch: StakeHolder['watch'] = (changed) => {
    const ends = [...holders].map((holder) => holder.watch(changed))
    return () => ends.forEach((end) => end())
  }
  const noteTyping = ({ target }: ChangeEvent<HTMLInputElement>) => void (target.matches(textFields) && fields.add(target))
  return { element, holders, noteTyping, stake: stakeOf, watch }
}
export type Contents = ReturnType<typeof createWindowContents>

export const WindowContents = createContext<Contents | undefined>(undefined)

/** A form tells the window around it, if there is one, what closing it would lose. */
export const useStakeHolder = (holder: StakeHolder): void => {
  const holders = useContext(WindowContents)?.holders
  useEffect(() => {
    holders?.add(holder)
    return () => void holders?.delete(holder)
  }, [holders, holder])
}
