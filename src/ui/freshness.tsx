import { css } from 'styled-system/css'
import { IconButton } from './icon-button'
import { RelativeTime } from './time'

const root = css({ ml: 'auto', display: 'inline-flex', alignItems: 'center', gap: '4', textStyle: 'small', color: 'muted' })
// The button alone on a phone, where the tools would need another line.
const words = css({ whiteSpace: 'nowrap', hideBelow: 'md' })

type Props = {
  query: { dataUpdatedAt: number; isFetching: boolean; refetch: () => unknown }
}

/** The age of the shown data, and a button to reload it. Every live list shows it. */
export const Freshness = ({ query: { dataUpdatedAt, isFetching, refetch } }: Props) =>
  dataUpdatedAt > 0 && (
    <span className={root}>
      <span className={words}>
        Updated <RelativeTime value={new Date(dataUpdatedAt)} />
      </span>
      <IconButton
        icon="refresh"
        label="Refresh"
        variant="ghost"
        size="small"
        align="end"
        aria-busy={isFetching || undefined}
        onClick={() => void refetch()}
      />
    </span>
  )
