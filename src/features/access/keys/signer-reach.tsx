import { css } from 'styled-system/css'
import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { Status } from '../../../ui/text/chip'

type Reach = KeyRotation['next']['reach'][number]
type Props = { signers: readonly SigningKey[]; reach: readonly Reach[]; total: number }

const list = css({ display: 'grid', gap: '8' })

const leftBehind = ({ left_behind: { count, devices } }: Reach) => {
  const names = devices.slice(0, 3).map(({ name }) => name)
  const more = count - names.length
  return [...names, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')
}

/** Which devices would take the list, for each key that may sign it: the others would need a visit. */
export const SignerReach = ({ signers, reach, total }: Props) => {
  if (total === 0) return null
  return (
    <ul className={list} aria-label="Who takes the list">
      {signers.map(({ id, name }) => {
        const one = reach.find(({ key_id }) => key_id === id)
        if (!one) return null
        const isWhole = one.left_behind.count === 0 && one.devices > 0
        return (
          <li key={id}>
            <Status shape={isWhole ? 'success' : 'warning'}>
              {one.devices === 0
                ? `${name}: no device trusts it yet, so none would take a list that it signs.`
                : `${name}: ${formatCount(one.devices)} of ${pluralize(total, 'active device')} take a list that it signs.`}
              {one.devices > 0 && one.left_behind.count > 0 && ` Left behind: ${leftBehind(one)}.`}
            </Status>
          </li>
        )
      })}
    </ul>
  )
}
