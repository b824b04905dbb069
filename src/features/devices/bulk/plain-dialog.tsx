import { pluralize } from '../../../lib/pluralize'
import { BulkWindow } from './bulk-window'
import { type DialogProps, useBulkChange } from './use-bulk-change'

const texts = {
  enable_updates: {
    verb: 'Turn updates on',
    title: (devices: string) => `Turn updates on for ${devices}?`,
    text: 'Rollouts that wait for them offer them their releases from the next check-in.',
    danger: false,
  },
  disable_updates: {
    verb: 'Turn updates off',
    title: (devices: string) => `Turn updates off for ${devices}?`,
    text: 'They are offered no new update until you turn updates on again. An update that is running continues.',
    danger: true,
  },
  resume: {
    verb: 'Resume updates',
    title: (devices: string) => `Resume updates of ${devices}?`,
    text: 'Their pauses end now. Devices without a pause stay as they are.',
    danger: false,
  },
  disable: {
    verb: 'Disable',
    title: (devices: string) => `Disable ${devices}?`,
    text: 'They still check in and report, but are offered no new update and get no commands. An update that is running continues. You can enable them again.',
    danger: true,
  },
  enable: {
    verb: 'Enable',
    title: (devices: string) => `Enable ${devices}?`,
    text: 'Disabled devices are active again. Others stay as they are or are named as failed.',
    danger: false,
  },
} as const
export type PlainAction = keyof typeof texts

/** An action without fields. */
export const PlainDialog = ({ action, ...props }: DialogProps & { action: PlainAction }) => {
  const change = useBulkChange(`bulk_${action}`, props)
  const { verb, title, text, danger } = texts[action]
  return (
    <BulkWindow
      change={change}
      title={title(pluralize(props.selected.count, 'device'))}
      text={`${text} It can be undone.`}
      verb={verb}
      danger={danger}
      onStart={() => void change.start(action)}
    />
  )
}
