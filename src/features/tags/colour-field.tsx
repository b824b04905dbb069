import { css } from 'styled-system/css'
import { type TagColour, tagColours } from '../../../contract/fleet/tags'
import { Field } from '../../ui/form/field'
import { Tag } from '../../ui/text/tag'

const group = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
const choice = css({
  position: 'relative',
  display: 'inline-flex',
  alignItems: 'center',
  minH: { base: 'controlTouch', md: 'controlSmall' },
  px: '6',
  border: 'line',
  borderRadius: '4',
  cursor: 'pointer',
  _hover: { bg: 'hover' },
  '&:has(:checked)': { borderColor: 'text', bg: 'track' },
  '&:has(:focus-visible)': { borderColor: 'focus', boxShadow: 'focus' },
})
const native = css({ appearance: 'none', position: 'absolute', inset: '0', outline: 'none', cursor: 'inherit' })

type Props = { name: string; error: string | undefined; value: TagColour; onValueChange: (colour: TagColour) => void }

/** One of ten named colors, each shown as the tag will look: native radios, so arrow keys work. */
export const ColourField = ({ name, error, value, onValueChange }: Props) => (
  <Field label="Colour" required error={error} group>
    <div role="radiogroup" aria-label="Colour" className={group}>
      {tagColours.map((colour) => (
        <label key={colour} className={choice}>
          <input
            type="radio"
            className={native}
            name={name}
            value={colour}
            checked={colour === value}
            onChange={() => onValueChange(colour)}
          />
          <Tag color={colour}>{colour}</Tag>
        </label>
      ))}
    </div>
  </Field>
)
