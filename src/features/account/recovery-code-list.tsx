import { css } from 'styled-system/css'
import { product } from '../../../contract/core/limits'
import { saveFile } from '../../lib/save-file'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/text/copy-button'
import { Icon } from '../../ui/icon/icon'
import { Callout } from '../../ui/layout/notice'

const stack = css({ display: 'grid', gap: '16', pt: '12' })
const list = css({
  display: 'grid',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
  gridAutoFlow: { base: 'row', sm: 'column' },
  gridTemplateRows: { sm: 'repeat(5, auto)' },
  columnGap: '24',
  rowGap: '6',
  p: '16',
  border: 'line',
  borderRadius: '6',
  bg: 'code',
  textStyle: 'mono',
})
const buttons = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8', pt: '16', borderTop: 'line' })
const last = css({ ml: 'auto' })

const fileName = `${product.slug}-recovery-codes.txt`

type Props = { codes: readonly string[]; onKept: () => void }

/** Shown only once: the user must confirm that they saved the codes before they continue. */
export const RecoveryCodeList = ({ codes, onKept }: Props) => (
  <div className={stack}>
    <ul className={list} aria-label="Recovery codes">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <Callout kind="warning">Shown only once. Store them away from your phone.</Callout>
    <div className={buttons}>
      <CopyButton size="md" value={codes.join('\n')}>
        Copy codes
      </CopyButton>
      <Button icon={<Icon name="dl" />} onClick={() => saveFile(fileName, `${codes.join('\n')}\n`, 'text/plain')}>
        Download
      </Button>
      <Button variant="primary" className={last} onClick={onKept}>
        I saved the codes
      </Button>
    </div>
  </div>
)
