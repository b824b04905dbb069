import { useState } from 'react'
import type { Tag, TagColour } from '../../../contract/fleet/tags'
import { TextareaField, TextField } from '../../ui/form/text-field'
import { ColourField } from './colour-field'

type Props = {
  tag?: Pick<Tag, 'name' | 'colour' | 'description'>
  field: (name: string) => { name: string; error: string | undefined }
}

export const TagFields = ({ tag, field }: Props) => {
  const [colour, setColour] = useState<TagColour>(tag?.colour ?? 'stone')
  return (
    <>
      <TextField
        {...field('name')}
        label="Name"
        required
        mono
        autoFocus={tag === undefined}
        defaultValue={tag?.name}
        hint="Lower-case letters, digits, dots, dashes and underscores. Used to group devices and target rollouts."
        spellCheck={false}
      />
      <ColourField {...field('colour')} value={colour} onValueChange={setColour} />
      <TextareaField {...field('description')} label="Description" defaultValue={tag?.description} limit={256} />
    </>
  )
}
