import { css } from 'styled-system/css'
import type { SigningKey } from '../../../contract/fleet/keys'
import { groupFingerprint } from '../../lib/names'
import { Checkbox } from '../../ui/form/choice'
import { GroupField } from '../../ui/form/choice-field'

type Props = {
  keys: readonly SigningKey[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  error: string | undefined
}

/** The keys that the device will trust: a short list, all visible. */
export const KeyChoice = ({ keys, chosen, onChange, error }: Props) => (
  <GroupField label="Trusted keys" required error={error} hint="The device installs only releases signed with one of these keys.">
    {keys.map((key) => (
      <Checkbox
        key={key.id}
        checked={chosen.includes(key.id)}
        onChange={(event) => onChange(event.target.checked ? [...chosen, key.id] : chosen.filter((id) => id !== key.id))}
      >
        {key.name}, {key.algorithm} <code className={css({ textStyle: 'mono' })}>{groupFingerprint(key.fingerprint, 12)}</code>
      </Checkbox>
    ))}
  </GroupField>
)
