import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { SecureBootBundle, ShownKey } from '../../../contract/updates/secure-boot/bundles'
import { groupFingerprint } from '../../lib/names'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Chip } from '../../ui/text/chip'
import { CopyButton } from '../../ui/text/copy-button'
import { IconButton } from '../../ui/icon/icon-button'
import { Callout } from '../../ui/layout/notice'
import { Panel, PanelBody, PanelRow } from '../../ui/layout/panel'
import { isEditable } from './bundle-display'

const RemoveKeyDialog = lazyPart(() => import('./remove-key-dialog').then((part) => part.RemoveKeyDialog))

const row = css({ display: 'flex', alignItems: 'flex-start', gap: '8', w: 'full', minW: '0' })
const words = css({ flex: '1', minW: '0', display: 'grid', gap: '4', justifyItems: 'start' })
const print = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const quiet = css({ textStyle: 'small', color: 'muted' })

type RowProps = { bundle: SecureBootBundle; one: ShownKey }

const KeyRow = ({ bundle, one }: RowProps) => {
  const refused = useRefusal('project:update')
  const [removing, setRemoving] = useState(false)
  return (
    <PanelRow>
      <div className={row}>
        <div className={words}>
          <span>
            Slot {one.slot} <span className={quiet}>{one.algorithm}</span>
          </span>
          <code className={print} title={groupFingerprint(one.fingerprint)}>
            {groupFingerprint(one.fingerprint, 16)}
            <CopyButton value={one.fingerprint} label={`Copy fingerprint of slot ${one.slot}`} />
          </code>
          {one.is_known_test_key && <Chip shape="error">Published test key</Chip>}
          {one.revoked && <Chip shape="warning">Revoked by the plan</Chip>}
          {one.revoked_since && <Chip shape="error">Signing key revoked</Chip>}
        </div>
        {isEditable(bundle.state) && (
          <IconButton
            icon="x"
            align="end"
            label={`Remove the key of slot ${one.slot}`}
            data-analytics-name="Remove bundle key"
            variant="ghost"
            size="small"
            {...(refused !== undefined && { refused })}
            onClick={() => setRemoving(true)}
          />
        )}
        {removing && (
          <Suspense>
            <RemoveKeyDialog bundle={bundle} removed={one} onClose={() => setRemoving(false)} />
          </Suspense>
        )}
      </div>
    </PanelRow>
  )
}

/** The public keys by slot, with a warning for keys whose private half is published. */
export const KeysPanel = ({ bundle }: { bundle: SecureBootBundle }) => (
  <Panel flush title="Keys" aside={String(bundle.keys.length)}>
    {bundle.keys.some((one) => one.is_known_test_key) && (
      <PanelBody>
        <Callout kind="error">
          The private half of a published test key is public: anyone can sign for such a part. Replace it before you burn
          anything.
        </Callout>
      </PanelBody>
    )}
    {bundle.keys.length === 0 && (
      <PanelBody>
        <span className={css({ color: 'muted' })}>No key: signatures are verified only by keys inside the files.</span>
      </PanelBody>
    )}
    {bundle.keys.map((one) => (
      <KeyRow key={one.slot} bundle={bundle} one={one} />
    ))}
    {bundle.key_hash !== null && (
      <PanelRow>
        <div className={words}>
          <span className={quiet}>Key hash</span>
          <code className={print}>
            {groupFingerprint(bundle.key_hash)}
            <CopyButton value={bundle.key_hash} label="Copy key hash" />
          </code>
        </div>
      </PanelRow>
    )}
  </Panel>
)
