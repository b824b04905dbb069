import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ChangeEvent, useRef, useState } from 'react'

const pause = 200

export type FilterText = {
  /** The current filter of the list. */
  value: string | undefined
  input: { value: string; onChange: (event: ChangeEvent<HTMLInputElement>) => void }
  clear: () => void
  /** Shows the text that the URL has got without this box. */
  show: (text: string) => void
}

/** The text of a list's filter box, kept in the URL as `q` or another parameter: shown at once, requested after a short pause. */
export const useFilterText = (name: 'q' | 'version' = 'q'): FilterText => {
  const navigate = useNavigate()
  const { [name]: value }: { q?: string | undefined; version?: string | undefined } = useSearch({ strict: false })
  const [typed, setTyped] = useState(value ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = (text: string) =>
    void navigate({
      to: '.',
      search: (kept) => ({ ...kept, [name]: text.trim() === '' ? undefined : text.trim() }),
      replace: true,
    })
  const show = (text: string) => {
    clearTimeout(timer.current)
    setTyped(text)
  }
  return {
    value,
    show,
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
      show('')
      say('')
    },
  }
}
