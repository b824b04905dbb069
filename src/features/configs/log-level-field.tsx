import { SelectField } from '../../ui/form/select-field'

const levels = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'].map((level) => ({
  value: level,
  label: level,
}))

export const LogLevelField = (field: { name: string; error: string | undefined }) => (
  <SelectField {...field} label="Log level" items={levels} defaultValue="info" />
)
