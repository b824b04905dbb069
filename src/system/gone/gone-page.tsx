import { type ComponentProps, Suspense } from 'react'
import { failureOf } from '../../api/failure'
import { Page, PageHead } from '../../ui/layout/page'
import { Skeleton } from '../../ui/layout/skeleton'
import { lazyPart } from '../page/lazy'
import type { GoneObject } from './gone-notice'

const GoneNotice = lazyPart(() => import('./gone-notice').then((part) => part.GoneNotice))

/** Whether an object that was read before is no longer there for the reader. */
export const isGone = ({ error }: { error: unknown }): boolean => failureOf(error)?.status === 404

type Props = GoneObject & Pick<ComponentProps<typeof PageHead>, 'crumbs' | 'mono'>

/** In place of the page of an object that was deleted while it was open: nothing of it can be done. */
export const GonePage = ({ crumbs, mono, ...object }: Props) => (
  <Page>
    <PageHead title={object.name} {...(crumbs && { crumbs })} {...(mono && { mono })} />
    <Suspense fallback={<Skeleton />}>
      <GoneNotice {...object} />
    </Suspense>
  </Page>
)
