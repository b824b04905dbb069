import { useState } from 'react'
import { ComboboxField, notListed } from '../../ui/form/select-field'
import { countries, countryOf } from './countries'

type Props = { value: string; onValueChange: (code: string) => void }

/** §2: a list that is searched; what was typed becomes a country when the box is left. */
export const CountryField = ({ value, onValueChange }: Props) => {
  const [left, setLeft] = useState(0)
  const [unmatched, setUnmatched] = useState<string>()
  const leave = (typed: string) => {
    const code = countryOf(typed)
    setUnmatched(code === undefined ? typed.trim() : undefined)
    onValueChange(code ?? value)
    setLeft((times) => times + 1)
  }
  // The box writes what is chosen outside of it only at its beginning: left, it begins anew.
  return (
    <ComboboxField
      key={left}
      label="Country"
      items={countries}
      value={value}
      error={unmatched === undefined ? undefined : notListed(unmatched)}
      onValueChange={onValueChange}
      onLeave={leave}
    />
  )
}
