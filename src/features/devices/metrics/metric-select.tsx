import { formatMetric } from '../../../../contract/fleet/fleet-metrics'
import { Combobox } from '../../../ui/form/combobox'

type Props = { names: readonly string[]; value: string; onValueChange: (name: string) => void }

/** Loaded separately: the searchable list is as large as the rest of the page. */
export const MetricSelect = ({ names, value, onValueChange }: Props) => (
  <Combobox
    label="Metric"
    items={names.map((name) => ({ value: name, label: formatMetric(name) }))}
    value={value}
    onValueChange={(next) => next !== '' && onValueChange(next)}
  />
)
