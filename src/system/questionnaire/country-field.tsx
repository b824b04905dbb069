import { useState } from 'react'
import { ComboboxField, notListed } from '../../ui/form/select-field'
import { countries, countryOf } from './countries'

type Props = { value: string; onValueChange: (code: string) => void }

/** §2: a searchable list; the typed text becomes a country on blur. */
export const CountryField = ({ value, onValueChange }: Props) => {
  const [left, setLeft] = useState(0)
  const [unmatched, setUnmatched] = useState<string>()
  const leave = (typed: string) => {
    const code = countryOf(typed)
    setUnmatched(code === undefined ? typed.trim() : undefined)
    onValueChange(code ?? value)
    setLeft((times) => times + 1)
  }
  // The box takes an outside value only when mounted: it is remounted on blur.
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
