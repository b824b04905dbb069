import { createContext, useContext } from 'react'

export type FieldControl = {
  id: string
  labelId: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

/** Set by `Field` alone. */
export const Control = createContext<FieldControl | null>(null)

/** What the field around it says about a control: its id, what describes it, whether it is wrong. */
export const useField = () => useContext(Control)
