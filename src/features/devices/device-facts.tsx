import { css } from 'styled-system/css'
import { isEnded } from '../../../contract/device/update-events'
import type { Device } from '../../../contract/devices'
import { groupFingerprint } from '../../lib/names'
import { secureBootDisplay } from '../../lib/status-display'
import { CopyableId } from '../../ui/copyable-id'
import { CopyButton } from '../../ui/copy-button'
import type { Fact } from '../../ui/facts'
import { Tags } from '../../ui/tag'
import { RelativeTime } from '../../ui/time'
import { NextCheckIn } from './next-check-in'
import { PollingFact } from './polling-fact'
import { protocolText } from './protocol-text'
import { TokenFact } from './token-fact'

const quiet = css({ color: 'muted' })
const mono = css({ textStyle: 'mono' })
const copied = css({ display: 'inline-flex', alignItems: 'center', gap: '2', minW: '0' })

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

const verifierText: Record<Device['verifier'], string> = {
  manifest: 'Teasel agent: signed manifest',
  swupdate_cms: 'SWUpdate: CMS signature of the bundle',
  rauc_cms: 'RAUC: CMS signature of the bundle',
  mcuboot: 'MCUboot: signature of the image',
  unknown: 'Client: unknown to Teasel',
}

const client = ({ client: it, protocol }: Device) =>
  it ? (
    <>
      <span className={mono}>{it.name}</span> <span className={quiet}>{it.version}</span>
    </>
  ) : (
    protocolText[protocol]
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

const serial = ({ serial_number: number }: Device) =>
  number === null ? '–' : <CopyableId value={number} label="Copy serial number" />

/** The most important facts, in one line under the name. */
export const factsOf = (device: Device): Fact[] => [
  { label: 'Installed', value: installed(device) },
  { label: 'Pending', value: pending(device) },
  { label: 'Last seen', value: <RelativeTime value={device.last_seen_at} /> },
  { label: 'Next check-in', value: <NextCheckIn at={device.next_check_in_at} /> },
  { label: 'Checks in', value: <PollingFact device={device} /> },
  { label: 'Client', value: client(device) },
  { label: 'Verified by', value: verifierText[device.verifier] },
  { label: 'Model', value: <span className={mono}>{device.hardware_model}</span> },
  { label: 'Serial', value: serial(device) },
  // The keys of other clients are not known here.
  ...(device.protocol === 'ddi' ? [] : [{ label: 'Trusted keys', value: keys(device) }]),
  { label: 'Secure boot', value: secureBootDisplay(device.secure_boot.state).word },
  { label: 'Token', value: <TokenFact device={device} /> },
  {
    label: 'Tags',
    value: device.tags.length === 0 ? '–' : <Tags tags={device.tags} most={3} />,
  },
]
