import { css } from 'styled-system/css'
import { type EventType, eventTypes } from '../../../../contract/accounts/events'
import { Checkbox } from '../../../ui/form/choice'
import { InlineCode } from '../../../ui/text/code'
import { GroupField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'

const groups: Record<string, string> = {
  rollout: 'Rollouts',
  update: 'Updates of devices',
  device: 'Devices',
  release: 'Releases',
  key: 'Keys and tokens',
  access_token: 'Keys and tokens',
  project: 'Project',
}
const groupOf = (type: EventType) => groups[type.split('.')[0] ?? ''] ?? 'Others'
const names = [...new Set(Object.values(groups)), 'Others'].filter((name) => eventTypes.some((type) => groupOf(type) === name))

// As wide as the field, so that the columns of all groups line up.
const group = css({ w: 'full' })
const ofGroup = css({
  display: 'grid',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
  columnGap: '12',
  pl: '24',
})

type Props = {
  url: { name: string; error?: string | undefined; defaultValue?: string }
  /** The error of the events. */
  error: string | undefined
  types: readonly EventType[]
  onTypes: (types: EventType[]) => void
}

/** Where to send, and which events. */
export const WebhookFields = ({ url, error, types, onTypes }: Props) => {
  const toggle = (some: readonly EventType[], on: boolean) =>
    onTypes(eventTypes.filter((one) => (some.includes(one) ? on : types.includes(one))))
  return (
    <>
      <TextField
        {...url}
        label="URL"
        required
        autoFocus
        mono
        spellCheck={false}
        placeholder="https://hooks.example.com/teasel"
        hint="Reached by https at a public address. Redirects are not followed."
      />
      <GroupField label="Events" error={error}>
        {names.map((name) => {
          const own = eventTypes.filter((type) => groupOf(type) === name)
          const chosen = own.filter((type) => types.includes(type)).length
          return (
            <div key={name} className={group}>
              <Checkbox
                checked={chosen === own.length}
                mixed={chosen > 0 && chosen < own.length}
                onChange={(event) => toggle(own, event.currentTarget.checked)}
              >
                {name}
              </Checkbox>
              <div className={ofGroup}>
                {own.map((type) => (
                  <Checkbox
                    key={type}
                    checked={types.includes(type)}
                    onChange={(event) => toggle([type], event.currentTarget.checked)}
                  >
                    <InlineCode>{type}</InlineCode>
                  </Checkbox>
                ))}
              </div>
            </div>
          )
        })}
      </GroupField>
    </>
  )
}
