import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { IconButton } from '../../ui/icon/icon-button'
import { RelativeTime } from '../../ui/text/time'
import { lazyPart } from '../page/lazy'
import { type Refresh, useRefreshChoice } from './refresh-choice'

const RefreshMenu = lazyPart(() => import('./refresh-menu').then((part) => part.RefreshMenu))

const root = css({ ml: 'auto', display: 'inline-flex', alignItems: 'center', gap: '4', textStyle: 'small', color: 'muted' })
// The button alone on a phone, where the tools would need another line.
const words = css({
  hideBelow: 'md',
  whiteSpace: 'nowrap',
  borderRadius: '4',
  px: '4',
  _hover: { color: 'text' },
})

const suffixes: Record<Refresh, string> = { live: '', '10s': ' · 10 s', '1m': ' · 1 min', '5m': ' · 5 min', off: ' · Off' }

const Age = ({ updatedAt }: { updatedAt: number }) => {
  const [used, setUsed] = useState(false)
  const choice = useRefreshChoice()
  const trigger = (
    <button type="button" className={words} title="Refresh interval" aria-haspopup="menu" onClick={() => setUsed(true)}>
      Updated <RelativeTime value={new Date(updatedAt)} />
      {suffixes[choice]}
    </button>
  )
  if (!used) return trigger
  return (
    <Suspense fallback={trigger}>
      <RefreshMenu choice={choice}>{trigger}</RefreshMenu>
    </Suspense>
  )
}

type Props = {
  query: { dataUpdatedAt: number; isFetching: boolean; refetch: () => unknown }
}

/** The age of the shown data with the choice of its interval, and a button to reload it. Every live list shows it. */
export const Freshness = ({ query: { dataUpdatedAt, isFetching, refetch } }: Props) =>
  dataUpdatedAt > 0 && (
    <span className={root}>
      <Age updatedAt={dataUpdatedAt} />
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
