import { css } from 'styled-system/css'
import { Progress } from '../../ui/layout/progress'
import type { Measure } from './subscription-text'

const list = css({
  display: 'grid',
  columnGap: '40',
  rowGap: '12',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: '1fr 1fr' },
})
const row = css({ display: 'grid', gap: '4', minW: '0' })
const head = css({ display: 'flex', justifyContent: 'space-between', gap: '12' })
const words = css({ color: 'muted', whiteSpace: 'nowrap', '&[data-over]': { color: 'warning.text' } })

/** Each limit with its use, before it is reached. */
export const UsageList = ({ measures }: { measures: readonly Measure[] }) => (
  <ul className={list} aria-label="Usage">
    {measures.map(({ label, used, limit, words: said, over }) => (
      <li key={label} className={row}>
        <span className={head}>
          {label}
          <span className={words} data-over={over || undefined}>
            {over ? `${said}: none left` : said}
          </span>
        </span>
        <Progress label={label} value={limit === 0 ? 1 : used / limit} kind={over ? 'warning' : 'neutral'} />
      </li>
    ))}
  </ul>
)
