import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { pluralize } from '../../../lib/pluralize'
import { useSystem } from '../../../system/system'
import { SegmentField } from '../../../ui/form/choice-field'
import { TagsSelect } from '../form/tags-select'
import { BulkWindow } from './bulk-window'
import { type DialogProps, useBulkChange } from './use-bulk-change'

const ways = [
  { value: 'add_tags', label: 'Add' },
  { value: 'remove_tags', label: 'Remove' },
  { value: 'replace_tags', label: 'Replace all' },
] as const
type Way = (typeof ways)[number]['value']

const texts = {
  add_tags: 'Each device keeps its other tags.',
  remove_tags: 'Each device keeps its other tags.',
  replace_tags: 'Each device has exactly these tags afterwards, and loses all others.',
} as const

export const TagsDialog = (props: DialogProps) => {
  const { api } = useSystem()
  const change = useBulkChange('bulk_tags', props)
  const { data: tags = [] } = useQuery(tagsQuery(api, props.selected.projectId))
  const [way, setWay] = useState<Way>('add_tags')
  const [names, setNames] = useState<string[]>([])
  const devices = pluralize(props.selected.count, 'device')
  return (
    <BulkWindow
      change={change}
      title={`Tags of ${devices}`}
      text={`${texts[way]} Open rollouts that add matching devices may include other devices then. It can be undone.`}
      verb={`${way === 'add_tags' ? 'Tag' : way === 'remove_tags' ? 'Remove tags of' : 'Replace tags of'} ${devices}`}
      danger={way === 'replace_tags'}
      ready={names.length > 0 || way === 'replace_tags'}
      onStart={() => void change.start(way, { tags: names })}
    >
      <SegmentField name="way" label="Change" items={ways} value={way} onValueChange={setWay} />
      <TagsSelect names={tags.map(({ name }) => name)} error={undefined} value={names} onValueChange={setNames} />
    </BulkWindow>
  )
}
