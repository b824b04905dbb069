import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { groupFingerprint } from '../../../lib/names'
import { lifecycleDisplay, readable } from '../../../lib/status-display'
import { Status } from '../../../ui/text/chip'
import { CopyableId } from '../../../ui/text/copyable-id'
import { CopyButton } from '../../../ui/text/copy-button'
import { type Fact, Pairs } from '../../../ui/layout/facts'
import { Panel } from '../../../ui/layout/panel'
import { DateTime, RelativeTime } from '../../../ui/text/time'
import { NextCheckIn } from './next-check-in'
import { PollingFact } from './polling-fact'
import { protocolText } from '../form/protocol-text'
import { TokenFact } from './token-fact'

const mono = css({ textStyle: 'mono' })
const quiet = css({ color: 'muted', whiteSpace: 'nowrap' })
const stack = css({ display: 'grid', gap: '4', justifyItems: 'start' })
const copied = css({ display: 'inline-flex', flexWrap: 'wrap', alignItems: 'center', columnGap: '8', minW: '0' })

const verifierText: Record<Device['verifier'], string> = {
  manifest: 'Teasel agent: signed manifest',
  swupdate_cms: 'SWUpdate: CMS signature of the bundle',
  rauc_cms: 'RAUC: CMS signature of the bundle',
  mcuboot: 'MCUboot: signature of the image',
  unknown: 'Client: unknown to Teasel',
}

/** The server names the algorithm of keys of the project only. */
const keyNote = (algorithm: string) => (algorithm === 'unknown' ? 'no key of this project' : algorithm)

const Keys = ({ keys }: { keys: Device['trusted_keys'] }) =>
  keys.length === 0 ? (
    'None reported'
  ) : (
    <span className={stack}>
      {keys.map(({ fingerprint, algorithm }) => (
        <span key={fingerprint} className={copied}>
          <code className={mono} title={groupFingerprint(fingerprint)}>
            {groupFingerprint(fingerprint, 16)}
          </code>
          <span className={quiet}>{keyNote(algorithm)}</span>
          <CopyButton value={fingerprint} label="Copy fingerprint" />
        </span>
      ))}
    </span>
  )

const factsOf = (device: Device): Fact[] => {
  const { client, serial_number: serial } = device
  const lifecycle = lifecycleDisplay(device.lifecycle)
  return [
    { label: 'Lifecycle', value: <Status shape={lifecycle.shape}>{lifecycle.word}</Status> },
    { label: 'Serial number', value: serial === null ? '–' : <CopyableId value={serial} label="Copy serial number" /> },
    { label: 'Device id', value: <CopyableId value={device.id} label="Copy device id" length={16} /> },
    { label: 'Client', value: client ? <code className={mono}>{client.name}</code> : protocolText[device.protocol] },
    { label: 'Client version', value: client ? <code className={mono}>{client.version}</code> : '–' },
    {
      label: 'Configuration hash',
      value:
        client && client.config_hash !== null ? <CopyableId value={client.config_hash} label="Copy hash" length={16} /> : '–',
    },
    { label: 'Verified by', value: verifierText[device.verifier] },
    // The keys of other clients are not known here.
    ...(device.protocol === 'ddi' ? [] : [{ label: 'Trusted keys', value: <Keys keys={device.trusted_keys} /> }]),
    { label: 'Checks in', value: <PollingFact device={device} /> },
    { label: 'Next check-in', value: <NextCheckIn at={device.next_check_in_at} /> },
    { label: 'Last seen', value: <RelativeTime value={device.last_seen_at} /> },
    { label: 'First seen', value: <DateTime value={device.first_seen_at} never="Never" /> },
    { label: 'Enrollment', value: readable(device.enrollment) },
    { label: 'Enrolled', value: <DateTime value={device.enrolled_at} never="Not yet" /> },
    { label: 'Time zone', value: device.timezone ?? 'Not set' },
    { label: 'Token', value: <TokenFact device={device} /> },
  ]
}

/** The identity of a device, its client, who verifies what it installs, and when it checks in. */
export const ClientPanel = ({ device }: { device: Device }) => (
  <Panel title="Device and client">
    <Pairs facts={factsOf(device)} />
  </Panel>
)
