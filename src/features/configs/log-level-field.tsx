import { configDefaults, logLevels } from '../../../contract/device/config-fields'
import { SelectField } from '../../ui/form/select-field'

const levels = logLevels.map((level) => ({ value: level, label: level }))

export const LogLevelField = (field: { name: string; error: string | undefined }) => (
  <SelectField {...field} label="Log level" items={levels} defaultValue={configDefaults.log_level} />
)
