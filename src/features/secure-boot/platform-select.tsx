import { SelectField } from '../../ui/form/select-field'
import { type Platform, platforms } from './platforms'

type Props = { platform: Platform | undefined; onChoose: (platform: Platform | undefined) => void }

/** Loaded separately: the searchable list is larger than the rest of the page. */
export const PlatformSelect = ({ platform, onChoose }: Props) => (
  <SelectField
    label="Platform"
    items={platforms}
    value={platform?.value}
    onValueChange={(value) => onChoose(platforms.find((one) => one.value === value))}
    {...(platform && { hint: `Root of trust: ${platform.root}.` })}
  />
)
