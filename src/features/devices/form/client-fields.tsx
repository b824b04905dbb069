import type { ReactNode } from 'react'
import type { Protocol } from '../../../../contract/ddi/confirm'
import type { TokenForm } from '../../../../contract/fleet/devices'
import { product } from '../../../../contract/core/limits'
import { SegmentField } from '../../../ui/form/choice-field'
import { protocolText } from './protocol-text'

type Bound = { name: string; error: string | undefined }

type ClientProps = Bound & {
  value: Protocol
  onValueChange: (value: Protocol) => void
  hint: ReactNode
  /** The only client that can be chosen. */
  only?: Protocol
}

/** The device API that a device uses, by the name of its client. */
export const ClientField = ({ only, ...field }: ClientProps) => (
  <SegmentField
    {...field}
    label="Client"
    items={[
      { value: product.slug, label: protocolText[product.slug], disabled: only === 'ddi' },
      { value: 'ddi', label: protocolText.ddi, disabled: only === product.slug && field.value !== 'ddi' },
    ]}
  />
)

const tokenItems = [
  { value: 'long', label: 'Long' },
  { value: 'short', label: 'Short' },
] as const satisfies readonly { value: TokenForm; label: string }[]

/** The form of the token of a hawkBit client. */
export const TokenFormField = (field: Partial<Bound> & { value: TokenForm; onValueChange: (value: TokenForm) => void }) => (
  <SegmentField
    {...field}
    label="Token"
    items={tokenItems}
    hint="Long: 53 characters. Short: 32 characters, as many as the settings of Zephyr hold."
  />
)
