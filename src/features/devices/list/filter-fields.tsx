import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { css } from 'styled-system/css'
import {
  attentionFilters,
  connectivities,
  type Device,
  healths,
  lifecycles,
  updateGroups,
} from '../../../../contract/fleet/devices'
import { signingKeysQuery } from '../../../api/queries/fleet/keys'
import { modelCountsQuery } from '../../../api/queries/fleet/model-counts'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { formatOffset } from '../../../lib/dates'
import { labelModel } from '../../../lib/model-note'
import { connectivityDisplay, healthDisplay, lifecycleDisplay, updateGroupDisplay } from '../../../lib/status-display'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { SegmentField } from '../../../ui/form/choice-field'
import { ComboboxField, MultiSelectField, SelectField } from '../../../ui/form/select-field'
import { NumberField, TextField } from '../../../ui/form/text-field'
import { attentionWords } from './device-filters'
import { checkFilters, type DevicesChange } from './devices-search'

const box = css({ display: 'grid', gap: '12', w: '240' })

const fields = [
  { value: 'tag', label: 'Tag' },
  { value: 'lifecycle', label: 'Lifecycle' },
  { value: 'connectivity', label: 'Connectivity' },
  { value: 'update', label: 'Update' },
  { value: 'health', label: 'Health' },
  { value: 'attention', label: 'Attention' },
  { value: 'hardware_model', label: 'Model' },
  { value: 'version', label: 'Version' },
  { value: 'version_gt', label: 'Version above' },
  { value: 'version_lt', label: 'Version below' },
  { value: 'last_seen_before', label: 'Last seen before' },
  { value: 'quarantined', label: 'Quarantine' },
  { value: 'trusts_key', label: 'Trusts key' },
  { value: 'attribute', label: 'Attribute' },
] as const
type FieldName = (typeof fields)[number]['value']

const options = <V extends string>(values: readonly V[], display: (value: string) => { word: string }) =>
  values.map((value) => ({ value, label: display(value).word }))

const choices = {
  connectivity: options(connectivities, connectivityDisplay),
  lifecycle: options(lifecycles, lifecycleDisplay),
  update: options(updateGroups, updateGroupDisplay),
  health: options(healths, healthDisplay),
  attention: attentionFilters.map((value) => ({ value: value as string, label: attentionWords[value] })),
  quarantined: [
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ],
}
type Chosen = keyof typeof choices
const isChosen = (field: FieldName): field is Chosen => Object.hasOwn(choices, field)

const modes = [
  { value: 'any', label: 'Any' },
  { value: 'all', label: 'All' },
  { value: 'none', label: 'None' },
] as const

/** The first second of a day of the reader's calendar. */
const startOf = (day: string) => `${day}T00:00:00${formatOffset(new Date(`${day}T00:00:00`))}`

type Values = { text: string; name: string; tags: string[]; mode: (typeof modes)[number]['value'] }
const none: Values = { text: '', name: '', tags: [], mode: 'any' }

const changeOf = (field: FieldName, { text, name, tags, mode }: Values): Record<string, unknown> => {
  if (field === 'tag') return { tag: tags, tag_mode: mode === 'any' ? undefined : mode }
  if (field === 'attribute') return { [`attr.${name.trim()}`]: text }
  if (field === 'last_seen_before') return { last_seen_before: text === '' ? '' : startOf(text) }
  return { [field]: text }
}

type ControlProps = {
  projectId: string
  devices: readonly Device[]
  field: FieldName
  values: Values
  error: string | undefined
  onChange: (change: Partial<Values>) => void
}

const TagControl = ({ projectId, values, error, onChange }: ControlProps) => {
  const { api } = useSystem()
  const { data: tags = [] } = useQuery(tagsQuery(api, projectId))
  return (
    <>
      <MultiSelectField
        label="Tags"
        error={error}
        items={tags.map(({ name }) => ({ value: name, label: name }))}
        value={values.tags}
        onValueChange={(chosen) => onChange({ tags: chosen })}
      />
      <SegmentField label="Devices with" items={modes} value={values.mode} onValueChange={(mode) => onChange({ mode })} />
    </>
  )
}

const ModelControl = ({ projectId, error, onChange }: ControlProps) => {
  const { api } = useSystem()
  const { data: models = [] } = useQuery(modelCountsQuery(api, projectId))
  const items = models.map((model) => ({ value: model.id, label: labelModel(model) }))
  return <SelectField label="Model" error={error} items={items} onValueChange={(text) => onChange({ text })} />
}

const KeyControl = ({ projectId, error, onChange }: ControlProps) => {
  const { api } = useSystem()
  const { data: keys = [] } = useQuery(signingKeysQuery(api, projectId))
  const items = keys.map(({ fingerprint, name }) => ({ value: fingerprint, label: `${name} (${fingerprint.slice(0, 8)})` }))
  return <SelectField label="Key" error={error} items={items} onValueChange={(text) => onChange({ text })} />
}

const Suggestions = ({ id, values }: { id: string; values: Iterable<string> }) => (
  <datalist id={id}>
    {[...new Set(values)].map((value) => (
      // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- the value is its name
      <option key={value} value={value} />
    ))}
  </datalist>
)

const AttributeControl = ({ devices, values, error, onChange }: ControlProps) => {
  const id = useId()
  const known = devices.map(({ attributes }) => attributes)
  return (
    <>
      <TextField
        label="Name"
        list={`${id}n`}
        value={values.name}
        placeholder="kernel_version"
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Value"
        list={`${id}v`}
        error={error}
        value={values.text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <Suggestions id={`${id}n`} values={known.flatMap((one) => Object.keys(one))} />
      <Suggestions
        id={`${id}v`}
        values={known.flatMap((one) => (Object.hasOwn(one, values.name) ? [String(one[values.name])] : []))}
      />
    </>
  )
}

const VersionControl = ({ devices, values, error, onChange }: ControlProps) => {
  const id = useId()
  return (
    <>
      <TextField
        label="Version"
        list={id}
        error={error}
        value={values.text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <Suggestions
        id={id}
        values={devices.flatMap(({ installed }) => (installed ? [installed.display_version ?? String(installed.version)] : []))}
      />
    </>
  )
}

const Control = (props: ControlProps) => {
  const { field, values, error, onChange } = props
  const typed = {
    error,
    value: values.text,
    onChange: (event: { target: { value: string } }) => onChange({ text: event.target.value }),
  }
  if (isChosen(field))
    return (
      <SelectField label="Value" error={error} items={[...choices[field]]} onValueChange={(text: string) => onChange({ text })} />
    )
  if (field === 'tag') return <TagControl {...props} />
  if (field === 'hardware_model') return <ModelControl {...props} />
  if (field === 'trusts_key') return <KeyControl {...props} />
  if (field === 'attribute') return <AttributeControl {...props} />
  if (field === 'version') return <VersionControl {...props} />
  if (field === 'last_seen_before')
    return <TextField label="Date" type="date" hint="Devices that were never seen are included." {...typed} />
  return <NumberField label="Version number" inputMode="numeric" hint="The number of a release, such as 12." {...typed} />
}

type Props = {
  projectId: string
  devices: readonly Device[]
  onAdd: (change: DevicesChange) => void
}

/** The field, then what it must be: each field has a control of its own. */
export const FilterFields = ({ projectId, devices, onAdd }: Props) => {
  const [field, setField] = useState<FieldName | ''>('')
  const [values, setValues] = useState(none)
  const [error, setError] = useState<string>()
  const start = (next: FieldName | '') => {
    setField(next)
    setValues(none)
    setError(undefined)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (field === '') return setError('Choose a field')
    const change = changeOf(field, values)
    if (field !== 'tag' && values.text.trim() === '') return setError('Enter a value')
    if (field === 'tag' && values.tags.length === 0) return setError('Choose a tag')
    if (field === 'attribute' && values.name.trim() === '') return setError('Enter the name of the attribute')
    const [problem, filters] = checkFilters(change)
    if (filters === undefined) return setError(problem)
    onAdd({ ...(field === 'tag' && { tag_mode: undefined }), ...filters })
  }
  return (
    <form className={box} onSubmit={submit} noValidate>
      <ComboboxField label="Field" items={fields} value={field} error={field === '' ? error : undefined} onValueChange={start} />
      {field !== '' && (
        <Control
          key={field}
          projectId={projectId}
          devices={devices}
          field={field}
          values={values}
          error={error}
          onChange={(change) => setValues((before) => ({ ...before, ...change }))}
        />
      )}
      <Button type="submit" variant="primary">
        Add filter
      </Button>
    </form>
  )
}
