import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { LogSummary } from '../../../contract/fleet/log-summaries'
import { Button } from '../../ui/button'
import { Chip } from '../../ui/text/chip'
import { Icon } from '../../ui/icon/icon'
import { RelativeTime } from '../../ui/text/time'
import { FindingsList } from './findings-list'
import { SummaryTables } from './summary-tables'
import { formatSize, formatSpan, verdictDisplay } from './verdict-display'
import { Volume } from './volume'

const card = css({
  border: 'line',
  borderRadius: '6',
  p: '16',
  display: 'grid',
  gap: '12',
  gridTemplateColumns: 'minmax(0, 1fr)',
})
const head = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const headline = css({ textStyle: 'heading', minW: '0', overflowWrap: 'anywhere' })
const facts = css({ display: 'flex', flexWrap: 'wrap', columnGap: '16', textStyle: 'small', color: 'muted' })
const actions = css({ display: 'flex', gap: '4', ml: 'auto' })

/** One summary: the verdict and its reasons; statistics on demand. */
export const SummaryCard = ({ summary, open }: { summary: LogSummary; open: boolean }) => {
  const { organizationId = '', projectId = '', deviceId = '' } = useParams({ strict: false })
  const [shown, setShown] = useState(open)
  const { shape, word } = verdictDisplay(summary.verdict)
  return (
    <article className={card} aria-label={summary.headline}>
      <header className={head}>
        <Chip shape={shape}>{word}</Chip>
        <h2 className={headline}>{summary.headline}</h2>
        <span className={actions}>
          <Link
            to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries-plaintext"
            params={{ organizationId, projectId, deviceId }}
            search={{ summary: summary.id }}
            className={button({ variant: 'ghost', size: 'small' })}
          >
            <Icon name="doc" size={14} />
            Plain text
          </Link>
          {summary.line_count > 0 && (
            <Button
              size="small"
              variant="ghost"
              icon={<Icon name={shown ? 'up' : 'down'} size={14} />}
              aria-expanded={shown}
              onClick={() => setShown(!shown)}
            >
              Numbers
            </Button>
          )}
        </span>
      </header>
      <p className={facts}>
        <span>{formatSpan(summary)}</span>
        <span>{formatSize(summary)}</span>
        {summary.is_log_removed && <span>its lines were removed from the log</span>}
        <span>
          created <RelativeTime value={summary.created_at} />
        </span>
      </p>
      {summary.line_count > 0 && <Volume timeline={summary.timeline} />}
      {summary.findings.length > 0 && <FindingsList summary={summary} />}
      {shown && summary.line_count > 0 && <SummaryTables summary={summary} />}
    </article>
  )
}
