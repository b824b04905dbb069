import { css } from 'styled-system/css'
import type { ClientBinary, ClientSignature } from '../../../contract/fleet/client-binaries'
import { groupFingerprint } from '../../lib/names'
import { CopyButton } from '../../ui/text/copy-button'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { ProofChip } from '../../ui/text/proof-chip'
import { TextLink } from '../../ui/text/text-link'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', justifyItems: 'start' })
const value = css({ display: 'grid', gap: '2', minW: '0', w: 'full' })
// A fixed height: the button is taller than the text.
const caption = css({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  h: '20',
  textStyle: 'caption',
  color: 'muted',
  // Aligns its icon with the end of the text.
  '& button': { mr: { base: '-12', md: '-6' } },
})
const mono = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const text = css({ color: 'muted', textStyle: 'small' })

const signerText: Record<ClientSignature['signer'], string> = {
  publisher: 'Signed by the publisher of this program. Keep the key: it signs the next version too.',
  installation:
    'Signed by this installation with its own key. The signature proves that a copy was downloaded from here. Keep the key to verify the next version.',
}

const CopyableValue = ({ label, shown, copied }: { label: string; shown: string; copied: string }) => (
  <div className={value}>
    <span className={caption}>
      {label}
      <CopyButton value={copied} label={`Copy ${label}`} />
    </span>
    <code className={mono}>{shown}</code>
  </div>
)

/** What a person needs to verify a downloaded program: its checksum, and its signature with the key, or a warning that it is unsigned. */
export const VerificationPanel = ({ binary: { sha256, signature } }: { binary: ClientBinary }) => (
  <Panel title="Verify the download">
    <div className={stack}>
      <CopyableValue label="SHA-256" shown={groupFingerprint(sha256)} copied={sha256} />
      {signature === null ? (
        <Callout kind="warning">This build is not signed. Verify its checksum.</Callout>
      ) : (
        <>
          <CopyableValue label="Key fingerprint" shown={groupFingerprint(signature.fingerprint)} copied={signature.fingerprint} />
          <CopyableValue label="Public key, Ed25519" shown={signature.public_key} copied={signature.public_key} />
          <ProofChip icon="shieldok">
            Signed by <b>{signature.signer === 'publisher' ? 'the publisher' : 'this installation'}</b>
          </ProofChip>
          <p className={text}>{signerText[signature.signer]}</p>
          <TextLink href={signature.url}>Download the signature</TextLink>
        </>
      )}
    </div>
  </Panel>
)
