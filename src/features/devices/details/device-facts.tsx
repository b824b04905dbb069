import { css } from 'styled-system/css'
import { isEnded } from '../../../../contract/device/update-events'
import type { Device } from '../../../../contract/fleet/devices'
import { groupFingerprint } from '../../../lib/names'
import { secureBootDisplay } from '../../../lib/status-display'
import { CopyButton } from '../../../ui/text/copy-button'
import type { Fact } from '../../../ui/layout/facts'
import { Tags } from '../../../ui/text/tag'
import { RelativeTime } from '../../../ui/text/time'
import { NextCheckIn } from './next-check-in'

const quiet = css({ color: 'muted' })
const mono = css({ textStyle: 'mono' })
const copied = css({ display: 'inline-flex', alignItems: 'center', gap: '4', minW: '0' })

const installed = ({ installed: it }: Device) =>
  it ? (
    <>
      <span className={mono}>{it.display_version ?? it.version}</span>{' '}
      <span className={quiet}>
        {[it.slot && `slot ${it.slot}`, it.confirmed ? 'confirmed' : 'unconfirmed'].filter(Boolean).join(', ')}
      </span>
    </>
  ) : (
    'Nothing yet'
  )

const pending = ({ update, installed: it }: Device) =>
  update && update.version !== it?.version && (update.state === 'succeeded' || !isEnded(update.state)) ? (
    <span className={mono}>{update.display_version ?? update.version}</span>
  ) : (
    '–'
  )

const keys = ({ trusted_keys: list }: Device) => {
  const [first] = list
  // The server names the algorithm of keys of the project only.
  const isForeign = list.every(({ algorithm }) => algorithm === 'unknown')
  if (!first) return '–'
  return (
    <span className={copied}>
      <span className={mono} title={list.map((key) => groupFingerprint(key.fingerprint)).join('\n')}>
        {groupFingerprint(first.fingerprint, 8)}
        {list.length > 1 && ` +${list.length - 1}`}
      </span>
      {isForeign && <span className={quiet}>no key of this project</span>}
      <CopyButton value={list.map((key) => key.fingerprint).join('\n')} label="Copy fingerprint" />
    </span>
  )
}

/** The most important facts, in one line under the name. */
export const factsOf = (device: Device): Fact[] => [
  { label: 'Installed', value: installed(device) },
  { label: 'Pending', value: pending(device) },
  { label: 'Last seen', value: <RelativeTime value={device.last_seen_at} /> },
  { label: 'Next check-in', value: <NextCheckIn at={device.next_check_in_at} /> },
  { label: 'Model', value: <span className={mono}>{device.hardware_model}</span> },
  // The keys of other clients are not known here.
  ...(device.protocol === 'ddi' ? [] : [{ label: 'Trusted keys', value: keys(device) }]),
  { label: 'Secure boot', value: secureBootDisplay(device.secure_boot.state).word },
  {
    label: 'Tags',
    value: device.tags.length === 0 ? '–' : <Tags tags={device.tags} most={3} />,
  },
]
