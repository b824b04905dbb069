import { Shape } from '../../ui/layout/shape'
import { inspector } from './inspector.recipe'
import type { Chart } from './recorder'

const underWay = ['busy', 'submitting', 'sending', 'updating', 'redirecting']
const isUnderWay = ({ tags }: Chart) => tags.some((tag) => underWay.includes(tag))

/** `form`, and when several run `form 2`. */
export const titleOf = (charts: readonly Chart[], { key, name }: Chart): string => {
  const alike = charts.filter((chart) => chart.name === name)
  return alike.length > 1 ? `${name} ${alike.findIndex((chart) => chart.key === key) + 1}` : name
}

type Props = { charts: readonly Chart[]; chosen: string | undefined; onChoose: (key: string) => void }

export const ChartList = ({ charts, chosen, onChoose }: Props) => (
  <ul className={inspector.scroll} aria-label="Running charts">
    {charts.map((chart) => (
      <li key={chart.key}>
        <button
          type="button"
          className={inspector.row}
          aria-pressed={chart.key === chosen}
          title={chart.states.join(', ')}
          onClick={() => onChoose(chart.key)}
        >
          <Shape name={isUnderWay(chart) ? 'running' : 'online'} />
          <strong>{titleOf(charts, chart)}</strong>
          <small>{chart.states.join(', ')}</small>
        </button>
      </li>
    ))}
  </ul>
)
