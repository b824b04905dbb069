import { QrCode as Ark } from '@ark-ui/react/qr-code'
import { css } from 'styled-system/css'

// Dark on light in either theme: not every camera reads inverted codes.
const ground = css({ colorScheme: 'light', p: '12', w: 'fit', border: 'line', borderRadius: '6', bg: 'surface', color: 'text' })
const frame = css({ display: 'block', w: '180', h: '180', fill: 'text', shapeRendering: 'crispEdges' })

/** A text as a QR code, drawn here: the text never leaves the browser. */
export const Qr = ({ value, label }: { value: string; label: string }) => (
  <Ark.Root value={value} encoding={{ ecc: 'M' }} className={ground}>
    <Ark.Frame className={frame} role="img" aria-label={label}>
      <Ark.Pattern />
    </Ark.Frame>
  </Ark.Root>
)
