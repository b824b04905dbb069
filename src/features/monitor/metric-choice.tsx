import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { metricNamesQuery } from '../../api/queries/fleet/monitor'
import { formatMetric } from '../../../contract/fleet/fleet-metrics'
import { useSystem } from '../../system/system'
import { MultiSelectField } from '../../ui/form/select-field'
import { mostMetrics } from './chosen-metrics'

type Props = { projectId: string; chosen: readonly string[]; onChoose: (names: string[]) => void }

/** All metrics that devices of the project have reported, and those that are shown without having been reported. */
export const MetricChoice = ({ projectId, chosen, onChoose }: Props) => {
  const { api } = useSystem()
  const { data } = useQuery(metricNamesQuery(api, projectId))
  const [tooMany, setTooMany] = useState(false)
  const names = [...new Set([...chosen, ...(data ?? []).map(({ name }) => name)])].toSorted()
  const items = names.map((name) => ({ value: name, label: formatMetric(name) }))
  return (
    <MultiSelectField
      label="Metrics"
      items={items}
      value={[...chosen]}
      {...(tooMany && { error: `At most ${mostMetrics} metrics at once` })}
      hint="This browser remembers them for the project."
      onValueChange={(next) => {
        setTooMany(next.length > mostMetrics)
        if (next.length > 0 && next.length <= mostMetrics) onChoose(next)
      }}
    />
  )
}
