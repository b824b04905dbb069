import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../../../system/page/lazy'
import { IconButton } from '../../../ui/icon/icon-button'
import type { ListLayout } from './list-layout'

const ColumnChoices = lazyPart(() => import('./column-choices').then((part) => part.ColumnChoices))

type Props = { layout: ListLayout; onLayout: (layout: ListLayout) => void }

/** Which columns the list has, and how high its rows are. */
export const ColumnChooser = (props: Props) => {
  const [used, setUsed] = useState(false)
  const trigger: ReactNode = (
    <IconButton icon="columns" label="Columns" size="small" aria-haspopup="dialog" onClick={() => setUsed(true)} />
  )
  if (!used) return trigger
  return (
    <Suspense fallback={trigger}>
      <ColumnChoices {...props} />
    </Suspense>
  )
}
