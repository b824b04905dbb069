import { css } from 'styled-system/css'
import type { FactorSecret } from '../../../contract/accounts/account'
import { CopyButton } from '../../ui/text/copy-button'
import { Qr } from '../../ui/text/qr'

const stack = css({ display: 'grid', justifyItems: 'center', gap: '12' })
const line = css({ display: 'flex', alignItems: 'center', gap: '4', maxW: 'full' })
const hint = css({ textStyle: 'small', color: 'muted', textAlign: 'center' })
const key = css({ textStyle: 'mono', color: 'text', overflowWrap: 'anywhere', textAlign: 'center' })

/** In groups of four, easier to copy by hand. */
const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ')

/** The secret for the app, as a QR code and as text. */
export const AppSecret = ({ secret: { secret, otpauth_url } }: { secret: FactorSecret }) => (
  <div className={stack}>
    <Qr value={otpauth_url} label="The secret as a QR code" />
    <p className={hint}>No camera? Type this key into the app:</p>
    <div className={line}>
      <code className={key} aria-label="Key">
        {grouped(secret)}
      </code>
      <CopyButton value={secret} label="Copy key" />
    </div>
  </div>
)
