import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Check, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { pluralize } from '../../lib/pluralize'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/layout/notice'
import { Panel, PanelBody, PanelRow } from '../../ui/layout/panel'
import { Progress } from '../../ui/layout/progress'
import { Shape } from '../../ui/layout/shape'
import { DateTime } from '../../ui/text/time'
import { levelDisplay } from './bundle-display'
import { rangeText } from './fuse-text'

const row = css({ display: 'grid', gridTemplateColumns: 'auto minmax(0, 1fr)', columnGap: '8', w: 'full' })
const mark = css({ h: '20', display: 'flex', alignItems: 'center' })
const place = css({ textStyle: 'small', color: 'muted', overflowWrap: 'anywhere', '& code': { textStyle: 'monoSmall' } })
const text = css({ overflowWrap: 'anywhere' })

const order: Record<Check['level'], number> = { error: 0, warning: 1, ok: 2 }

const CheckRow = ({ check, fileName }: { check: Check; fileName: string | undefined }) => {
  const { shape, word } = levelDisplay(check.level)
  // The text of a finding in a file is its place, the reason and the rule; place and rule have a line of their own here.
  const isPlaced = check.reason !== null && check.text.includes(check.reason)
  return (
    <PanelRow>
      <div className={row}>
        <span className={mark}>
          <Shape name={shape} label={word} />
        </span>
        <span className={text}>{isPlaced ? check.reason : check.text}</span>
        <span />
        <span className={place}>
          {check.reason !== null && !isPlaced && <>{check.reason}. </>}
          {fileName !== undefined && (
            <>
              <code>{fileName}</code>
              {check.range && `, ${rangeText(check.range)}`}
              {'. '}
            </>
          )}
          <code>{check.id}</code>
        </span>
      </div>
    </PanelRow>
  )
}

const summaryOf = ({ checks, checked_at: at }: SecureBootBundle) => {
  if (at === null) return undefined
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  return `${pluralize(count('error'), 'error')}, ${pluralize(count('warning'), 'warning')}, ${count('ok')} passed`
}

/** The findings of the last checks: errors first, each with its reason, its file and the bytes concerned. */
export const ChecksPanel = ({ bundle }: { bundle: SecureBootBundle }) => {
  const [all, setAll] = useState(false)
  const sorted = bundle.checks.toSorted((a, b) => order[a.level] - order[b.level])
  const findings = sorted.filter(({ level }) => level !== 'ok')
  const shown = all ? sorted : findings
  const passed = sorted.length - findings.length
  const nameOf = (id: string | null) => bundle.artifacts.find((part) => part.id === id)?.file_name
  const progress = bundle.check_progress
  return (
    <Panel flush title="Checks" aside={summaryOf(bundle)}>
      {bundle.state === 'checking' && (
        <PanelBody>
          <Progress label="Checks" {...(progress && progress.total > 0 && { value: progress.done / progress.total })}>
            {progress ? `${progress.done} of ${progress.total} files` : 'Checking'}
          </Progress>
        </PanelBody>
      )}
      {bundle.state !== 'checking' && bundle.checked_at === null && (
        <PanelBody>
          <span className={css({ color: 'muted' })}>
            {bundle.state === 'draft'
              ? 'Not checked since the last change. Press Check bundle when its parts are uploaded.'
              : 'Not checked.'}
          </span>
        </PanelBody>
      )}
      {bundle.checked_at !== null && findings.length === 0 && bundle.state !== 'checking' && (
        <PanelBody>
          <Callout kind="success">
            All {passed} checks passed <DateTime value={bundle.checked_at} />.
          </Callout>
        </PanelBody>
      )}
      {shown.map((check, index) => (
        <CheckRow key={`${check.id}:${check.artifact_id}:${index}`} check={check} fileName={nameOf(check.artifact_id)} />
      ))}
      {passed > 0 && (
        <PanelRow>
          <Button size="small" variant="ghost" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Hide passed checks' : `Show ${pluralize(passed, 'passed check')}`}
          </Button>
        </PanelRow>
      )}
    </Panel>
  )
}
