import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { Segment } from '../../ui/form/segment'
import { lazyPart } from '../page/lazy'
import { SignOutside, type SignProps } from './sign-outside'

const SignHere = lazyPart(() => import('./sign-here').then((part) => part.SignHere))

const stack = css({ display: 'grid', gap: '16', maxW: 'form', '& > [role=radiogroup]': { justifySelf: 'start' } })

/** Signing by a command where the key is, or in this page with a key file that is not uploaded. The server only verifies. */
export const SignForm = (props: SignProps) => {
  const [way, setWay] = useState<'outside' | 'here'>('outside')
  return (
    <div className={stack}>
      <Segment
        label="Where to sign"
        items={[
          { value: 'outside', label: 'With a command' },
          { value: 'here', label: 'In this browser' },
        ]}
        value={way}
        onValueChange={setWay}
      />
      {way === 'outside' ? (
        <SignOutside {...props} />
      ) : (
        <Suspense fallback={<FieldSkeleton />}>
          <SignHere {...props} />
        </Suspense>
      )}
    </div>
  )
}
