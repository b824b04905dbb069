import { Suspense, useState } from 'react'
import type { AuditScope } from '../../api/queries/accounts/audit'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const VerifyDialog = lazyPart(() => import('./verify-dialog').then((part) => part.VerifyDialog))

export const VerifyButton = ({ scope }: { scope: AuditScope }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon={<Icon name="shieldok" />} aria-haspopup="dialog" data-tight onClick={() => setOpen(true)}>
        <span>Verify</span>
      </Button>
      {open && (
        <Suspense>
          <VerifyDialog scope={scope} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
