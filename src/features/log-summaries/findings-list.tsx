import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { LogSummary } from '../../../contract/fleet/log-summaries'
import { formatExact } from '../../lib/dates'
import { Shape } from '../../ui/layout/shape'
import { formatLineTime, verdictDisplay } from './verdict-display'

const list = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const item = css({ display: 'grid', gridTemplateColumns: '{sizes.12} minmax(0, 1fr)', columnGap: '8' })
const mark = css({ pt: '4' })
const sentence = css({ textStyle: 'strong', overflowWrap: 'anywhere' })
const step = css({ color: 'text2' })
const lines = css({ bg: 'code', border: 'line', borderRadius: '6', mt: '6', py: '4', overflowX: 'auto', textStyle: 'mono' })
const line = css({
  display: 'flex',
  gap: '12',
  px: '12',
  whiteSpace: 'nowrap',
  '& > *:first-child, & > *:nth-child(2)': { color: 'muted' },
})

const When = ({ ms, summary }: { ms: number; summary: LogSummary }) => {
  const date = new Date(ms)
  return (
    <time dateTime={date.toISOString()} title={formatExact(date)}>
      {formatLineTime(date, summary)}
    </time>
  )
}

/** Findings, worst first, each with the lines that show it and the next step. */
export const FindingsList = ({ summary }: { summary: LogSummary }) => {
  const { organizationId = '', projectId = '', deviceId = '' } = useParams({ strict: false })
  return (
    <ul className={list}>
      {summary.findings.map((finding) => {
        const { shape, word } = verdictDisplay(finding.severity)
        return (
          <li key={`${finding.rule_id}:${finding.sentence}`} className={item}>
            <span className={mark}>
              <Shape name={shape} label={word} />
            </span>
            <div>
              <p className={sentence}>{finding.sentence}</p>
              {finding.step !== null && <p className={step}>{finding.step}</p>}
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines are scrolled by keyboard too */}
              <div className={lines} tabIndex={0} role="group" aria-label="Log lines of the finding">
                {finding.cited.map((one) => (
                  <code key={one.sequence} className={line}>
                    {summary.is_log_removed ? (
                      <When ms={one.ts_ms} summary={summary} />
                    ) : (
                      <Link
                        to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs"
                        params={{ organizationId, projectId, deviceId }}
                        search={{ line: String(one.sequence) }}
                        className={link()}
                      >
                        <span className={css({ srOnly: true })}>Line {one.sequence} in the log, </span>
                        <When ms={one.ts_ms} summary={summary} />
                      </Link>
                    )}
                    <span>{one.unit ?? '–'}</span>
                    <span>{one.message}</span>
                  </code>
                ))}
              </div>
            </div>
          </li>
        )
      })}
    </ul>
  )
}
