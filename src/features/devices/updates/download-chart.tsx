import { formatBytes } from '../../../lib/bytes'
import { Chart } from '../../../ui/chart/chart'
import type { DownloadSpeed } from './download-speed'

const mega = 1024 ** 2

/** The speed of a download over its time. */
export const DownloadChart = ({ speed: { mean, points } }: { speed: DownloadSpeed }) => {
  const [unit, size] = mean < mega ? (['KB/s', 1024] as const) : (['MB/s', mega] as const)
  return (
    <Chart
      title="Download speed"
      times={points.map(({ at }) => at / 1000)}
      series={[{ label: 'speed', values: points.map(({ speed }) => speed / size) }]}
      unit={unit}
      present={
        <>
          <b>{formatBytes(mean)}/s</b> mean
        </>
      }
    />
  )
}
