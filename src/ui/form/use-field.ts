import { createContext, useContext } from 'react'

export type FieldControl = {
  id: string
  labelId: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

/** Provided by `Field` only. */
export const Control = createContext<FieldControl | null>(null)

/** The attributes that the surrounding field gives its control: id, description, error. */
export const useField = () => useContext(Control)
