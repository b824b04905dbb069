import { useMutation, useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { askForAttributesMutation } from '../../../api/mutations/fleet/devices'
import { deviceReportQuery } from '../../../api/queries/fleet/devices'
import { every, paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { useSystem } from '../../../system/system'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { Button } from '../../../ui/button'
import { Code } from '../../../ui/text/code'
import { Pairs } from '../../../ui/layout/facts'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import { RelativeTime } from '../../../ui/text/time'

const title = 'Last report of the client'
const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

/** What a hawkBit client has sent last, unchanged: it says more than the state of the update does. */
export const ReportPanel = ({ deviceId }: { deviceId: string }) => {
  const { api } = useSystem()
  const refused = useRefusal('device:remote_command')
  const { data, error, refetch } = useQuery({ ...deviceReportQuery(api, deviceId), refetchInterval: every(paces.fleet) })
  const { mutate, isPending } = useMutation({ ...askForAttributesMutation(api, deviceId), onError: notifyFailed })
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (!data)
    return (
      <Panel flush title={title}>
        <PanelSkeletons />
      </Panel>
    )
  const { last_report: report, attributes_received_at: attributesAt, attributes_asked: isAsked } = data
  return (
    <Panel title={title}>
      <div className={stack}>
        <Pairs
          facts={[
            { label: 'Report', value: <RelativeTime value={report?.received_at ?? null} /> },
            { label: 'Attributes', value: <RelativeTime value={attributesAt} /> },
          ]}
        />
        {report && <Code label={title} code={report.text} />}
        {isAsked ? (
          <p role="status">
            Asked for attributes. The client sends them after its next poll, and not within 60 seconds of the last ones.
          </p>
        ) : (
          <div>
            <Button size="small" refused={refused} busy={isPending} busyLabel="Asking..." onClick={() => mutate()}>
              Ask for attributes
            </Button>
          </div>
        )}
      </div>
    </Panel>
  )
}
