import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createLogSummaryMutation } from '../../api/mutations/fleet/log-summaries'
import { useRefusal } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Segment } from '../../ui/form/segment'

const spans = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
] as const

const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`

/** Creates a summary of the log up to now; the same lines give the same summary. */
export const MakeSummary = ({ deviceId }: { deviceId: string }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_devices')
  const [hours, setHours] = useState<(typeof spans)[number]['value']>('24')
  const make = useMutation({
    ...createLogSummaryMutation(api, deviceId),
    onError: (error) => void notify({ kind: 'error', text: describeError(error, 'The summary could not be created') }),
  })
  const begin = () => {
    // In whole seconds, including the current one.
    const now = Math.ceil(Date.now() / 1000) * 1000
    make.mutate({ from: stamp(now - Number(hours) * 3_600_000), to: stamp(now) })
  }
  return (
    <>
      <Segment small label="Period" items={spans} value={hours} onValueChange={setHours} />
      <Button size="small" busy={make.isPending} busyLabel="Reading..." refused={refused} onClick={begin}>
        Summarize
      </Button>
    </>
  )
}
