import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { css, cx } from 'styled-system/css'
import { checkDeviceConfigMutation } from '../../api/mutations/fleet/configs'
import { brokenAt, formatJsonPosition } from '../../lib/json-position'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure/failure-box'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { TextareaField } from '../../ui/form/text-field'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
// Always there, so that what appears in it is announced; without the gap while it is empty.
const answer = css({ _empty: { mt: '-16' } })

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const problemOf = (text: string) => {
  const place = brokenAt(text)
  return place ? formatJsonPosition(place) : 'This is not a JSON object'
}

/** Checks a device.json that exists, by the rules of the agent. It is not stored. */
export const CheckConfig = ({ projectId }: { projectId: string }) => {
  const { api } = useSystem()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const check = useMutation(checkDeviceConfigMutation(api, projectId))
  const run = () => {
    const config = parseObject(text)
    setError(config ? undefined : problemOf(text))
    if (config) check.mutate(config)
  }
  const findings = check.data?.findings
  const errors = findings?.filter(({ level }) => level === 'error').length
  const warnings = (findings?.length ?? 0) - (errors ?? 0)
  return (
    <Panel title="Check a device.json">
      <div className={stack}>
        <TextareaField
          label="Content of the file"
          mono
          rows={6}
          spellCheck={false}
          value={text}
          error={error}
          hint="The server compares it with the rules of the agent and does not store it."
          onChange={(event) => {
            setText(event.target.value)
            setError(undefined)
            check.reset()
          }}
        />
        <div>
          <Button disabled={text.trim() === ''} busy={check.isPending} busyLabel="Checking..." onClick={run}>
            Check
          </Button>
        </div>
        <div role="status" className={cx(stack, answer)}>
          {check.data?.findings.length === 0 && <Callout kind="success">No errors and no warnings.</Callout>}
          {errors === 0 && warnings > 0 && (
            <Callout kind="success">The agent accepts this file, with {pluralize(warnings, 'warning')}.</Callout>
          )}
          {errors !== undefined && errors > 0 && (
            <Callout kind="error">The agent refuses this file: {pluralize(errors, 'error')}.</Callout>
          )}
          {check.data?.findings.map((finding) => (
            <Callout key={`${finding.path}:${finding.text}`} kind={finding.level}>
              {finding.path !== '' && <code>{finding.path}: </code>}
              {finding.text}
            </Callout>
          ))}
        </div>
        {check.error && <FailureBox error={check.error} onRetry={run} />}
      </div>
    </Panel>
  )
}
