import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ChangeEvent, useEffect, useEffectEvent, useRef, useState } from 'react'

const pause = 200

export type FilterText = {
  /** The current filter of the list. */
  value: string | undefined
  input: { value: string; onChange: (event: ChangeEvent<HTMLInputElement>) => void }
  clear: () => void
}

/** The text of a list's filter box, kept in the URL as `q` or another parameter: shown at once, requested after a short pause. */
export const useFilterText = (name: 'q' | 'version' = 'q'): FilterText => {
  const navigate = useNavigate()
  const { [name]: value }: { q?: string | undefined; version?: string | undefined } = useSearch({ strict: false })
  const [typed, setTyped] = useState(value ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = (text: string) => {
    timer.current = undefined
    void navigate({
      to: '.',
      search: (kept) => ({ ...kept, [name]: text.trim() === '' ? undefined : text.trim() }),
      replace: true,
    })
  }
  // The URL changes without this box, too: by a link to the whole list, a saved view, or Back.
  const follow = useEffectEvent((text: string) => {
    if (timer.current === undefined && typed.trim() !== text) setTyped(text)
  })
  useEffect(() => follow(value ?? ''), [value])
  // Otherwise the next page would get the filter of this one.
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    value,
    input: {
      value: typed,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const text = event.target.value
        setTyped(text)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => say(text), pause)
      },
    },
    clear: () => {
      clearTimeout(timer.current)
      setTyped('')
      say('')
    },
  }
}
