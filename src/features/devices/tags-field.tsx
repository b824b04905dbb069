import { Suspense, useEffect, useRef } from 'react'
import type { Tag } from '../../../contract/tags'
import { lazyPart } from '../../system/lazy'
import { ReadOnlyField } from '../../ui/form/field'
import { Skeleton } from '../../ui/skeleton'

const TagsSelect = lazyPart(() => import('./tags-select').then((part) => part.TagsSelect))

type Props = {
  name: string
  error: string | undefined
  tags: readonly Tag[]
  value: readonly string[]
  onValueChange: (names: string[]) => void
}

/** The tags of a device, of those that the project has. Its hidden control makes the choice part of the form. */
export const TagsField = ({ name, error, tags, value, onValueChange }: Props) => {
  const held = useRef<HTMLInputElement>(null)
  const drawn = useRef(false)
  const text = value.join(',')
  useEffect(() => {
    const control = held.current
    if (!control) return
    // Not by a property of the element: React would put back what stood there at first.
    control.value = text
    if (drawn.current) control.dispatchEvent(new Event('input', { bubbles: true }))
    drawn.current = true
  }, [text])
  const waiting = (
    <ReadOnlyField label="Tags">
      <Skeleton height="control" />
    </ReadOnlyField>
  )
  return (
    <>
      <Suspense fallback={waiting}>
        <TagsSelect names={tags.map((tag) => tag.name)} error={error} value={value} onValueChange={onValueChange} />
      </Suspense>
      <input ref={held} type="hidden" name={name} />
    </>
  )
}

/** What the hidden control holds. */
export const tagNames = (text: FormDataEntryValue | null): string[] =>
  typeof text === 'string' && text !== '' ? text.split(',') : []
