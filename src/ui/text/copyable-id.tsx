import { css } from 'styled-system/css'
import { truncateMiddle } from '../../lib/names'
import { CopyButton } from './copy-button'

const room = css({ display: 'inline-flex', alignItems: 'center', gap: '2', minW: '0' })
const mono = css({ textStyle: 'mono' })

/** An id with a copy button: a long one is shortened in the middle; hover shows it and copying copies it completely. */
export const CopyableId = ({ value, label, length = 24 }: { value: string; label: string; length?: number }) => (
  <span className={room}>
    <code className={mono} title={value}>
      {truncateMiddle(value, length)}
    </code>
    <CopyButton value={value} label={label} />
  </span>
)
