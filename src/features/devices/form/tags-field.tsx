import { Suspense, useRef } from 'react'
import type { Tag } from '../../../../contract/fleet/tags'
import { lazyPart } from '../../../system/page/lazy'
import { ReadOnlyField } from '../../../ui/form/field'
import { Skeleton } from '../../../ui/layout/skeleton'

const TagsSelect = lazyPart(() => import('./tags-select').then((part) => part.TagsSelect))

type Props = {
  name: string
  error: string | undefined
  tags: readonly Tag[]
  value: readonly string[]
  onValueChange: (names: string[]) => void
}

/** Selects tags of the project for a device. A hidden control makes the selection part of the form. */
export const TagsField = ({ name, error, tags, value, onValueChange }: Props) => {
  const held = useRef<HTMLInputElement>(null)
  const choose = (names: string[]) => {
    onValueChange(names)
    const control = held.current
    if (!control) return
    // The form is notified of the selection with the new value, before it is drawn.
    control.value = names.join(',')
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const waiting = (
    <ReadOnlyField label="Tags">
      <Skeleton height="control" />
    </ReadOnlyField>
  )
  return (
    <>
      <Suspense fallback={waiting}>
        <TagsSelect names={tags.map((tag) => tag.name)} error={error} value={value} onValueChange={choose} />
      </Suspense>
      <input ref={held} type="hidden" name={name} value={value.join(',')} readOnly />
    </>
  )
}

/** Parses the value of the hidden control. */
export const tagNames = (text: FormDataEntryValue | null): string[] =>
  typeof text === 'string' && text !== '' ? text.split(',') : []
