/** An empty control is null: the contract says whether that is allowed. Other text that is no number stays, as NaN. */
export const numberOrNull = (text: string): number | null => (text === '' ? null : Number(text))

/** Ark's select has no empty value. */
export const noBundle = 'none'
/** The value of the control of the secure boot bundle, as in the contract. */
export const bundleOf = (value: string): string | null => (value === noBundle || value === '' ? null : value)
