import { useEffect, useRef, useState } from 'react'
import type { Tag } from '../../../contract/tags'
import { MultiSelectField } from '../../ui/form/select-field'

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
  const text = value.join(',')
  const [first] = useState(text)
  useEffect(() => {
    const control = held.current
    if (!control || control.value === text) return
    control.value = text
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }, [text])
  return (
    <>
      <MultiSelectField
        label="Tags"
        error={error}
        items={tags.map((tag) => ({ value: tag.name, label: tag.name }))}
        value={value}
        onValueChange={onValueChange}
        placeholder={tags.length === 0 ? 'The project has no tags' : 'None'}
        disabled={tags.length === 0}
      />
      <input ref={held} type="hidden" name={name} defaultValue={first} />
    </>
  )
}

/** What the hidden control holds. */
export const tagNames = (text: FormDataEntryValue | null): string[] =>
  typeof text === 'string' && text !== '' ? text.split(',') : []
