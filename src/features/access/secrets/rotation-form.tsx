import { useState } from 'react'
import type { Struct } from 'superstruct'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { SegmentField } from '../../../ui/form/choice-field'

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const
type Overlap = (typeof overlaps)[number]['value']

type Rotation = { overlap_s: number }
type Props = {
  schema: Struct<Rotation>
  label: string
  hint: string
  rotate: (body: Rotation, extra: { idempotencyKey: string }) => Promise<unknown>
  onCancel: () => void
}

/** Asks for how long the former token or secret is valid beside the new one. */
export const RotationForm = ({ schema, label, hint, rotate, onCancel }: Props) => {
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const form = useForm({ schema, read: () => ({ overlap_s: Number(overlap) }), save: rotate, onSaved: () => {} })
  return (
    <BoundForm form={form} dense inDialog onCancel={onCancel} submitLabel="Rotate" submittingLabel="Rotating...">
      <SegmentField
        {...form.field('overlap_s')}
        label={label}
        items={overlaps}
        value={overlap}
        onValueChange={setOverlap}
        hint={hint}
      />
    </BoundForm>
  )
}
