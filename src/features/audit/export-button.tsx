import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { AuditFilters } from '../../../contract/accounts/audit'
import { auditExport, type AuditScope } from '../../api/queries/accounts/audit'
import { saveFile } from '../../lib/save-file'
import { lazyPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const ExportMenu = lazyPart(() => import('./export-menu').then((part) => part.ExportMenu))

type Props = { scope: AuditScope; filters: AuditFilters }

/** Exports the log with the filters of the page; the export is itself an entry of the log. */
export const ExportButton = ({ scope, filters }: Props) => {
  const { api } = useSystem()
  const [used, setUsed] = useState(false)
  const save = useMutation({
    mutationFn: (format: 'csv' | 'ndjson') => auditExport(api, scope, filters, format),
    onSuccess: (bytes, format) => saveFile(`audit-log.${format}`, bytes, bytes.type),
    onError: (error) => void notify({ kind: 'error', text: describeError(error, 'The export failed') }),
    onSettled: (_bytes, _error, _format, _kept, { client }) => client.invalidateQueries({ queryKey: ['audit', scope] }),
  })
  const trigger = (
    <Button icon={<Icon name="dl" />} busy={save.isPending} aria-haspopup="menu" data-tight onClick={() => setUsed(true)}>
      <span>Export</span>
    </Button>
  )
  if (!used) return trigger
  return (
    <Suspense fallback={trigger}>
      <ExportMenu onChoose={(format) => save.mutate(format)}>{trigger}</ExportMenu>
    </Suspense>
  )
}
