import { useState } from 'react'
import { ComboboxField } from '../../ui/form/select-field'
import { countries, countryOf } from './countries'

type Props = { value: string; onValueChange: (code: string) => void }

/** §2: a list that is searched; what was typed becomes a country when the box is left. */
export const CountryField = ({ value, onValueChange }: Props) => {
  const [left, setLeft] = useState(0)
  const leave = (typed: string) => {
    onValueChange(countryOf(typed) ?? value)
    setLeft((times) => times + 1)
  }
  // The box writes what is chosen outside of it only at its beginning: left, it begins anew.
  return (
    <ComboboxField key={left} label="Country" items={countries} value={value} onValueChange={onValueChange} onLeave={leave} />
  )
}
