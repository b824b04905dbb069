import { QrCode as Ark } from '@ark-ui/react/qr-code'
import { css } from 'styled-system/css'

// Dark on light in either theme: not every camera reads inverted codes.
const ground = css({ colorScheme: 'light', p: '12', w: 'fit', border: 'line', borderRadius: '6', bg: 'surface', color: 'text' })
const frame = css({
  display: 'block',
  w: '180',
  h: '180',
  maxW: 'full',
  fill: 'text',
  shapeRendering: 'crispEdges',
  '&[data-large]': { w: '400', h: 'auto', aspectRatio: '1' },
})

/** A text as a QR code, `large` for more than a line of it, drawn here: the text never leaves the browser. */
export const Qr = ({ value, label, large }: { value: string; label: string; large?: boolean }) => (
  <Ark.Root value={value} encoding={{ ecc: 'M' }} className={ground}>
    <Ark.Frame className={frame} data-large={large || undefined} role="img" aria-label={label}>
      <Ark.Pattern />
    </Ark.Frame>
  </Ark.Root>
)
